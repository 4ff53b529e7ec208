// The manifests that users submit in an attack.

/** A manifest that stays queued: no runner here serves its driver. */
export const queuedManifest = [
  "driver: {type: docker, image: none, workspace: /build}",
  "stages: [s]",
  "jobs: [{stage: s, commands: ['true']}]",
].join("\n");

/** A manifest that the runner executes. @param {string[]} commands one for each job */
export const manifestOf = (...commands) =>
  JSON.stringify({
    driver: { type: "os" },
    stages: ["s"],
    jobs: commands.map((command, nth) => ({ stage: "s", name: `j${nth}`, commands: [command] })),
  });
