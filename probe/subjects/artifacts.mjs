/** @param {string} id @param {string} tries @param {string} command @param {RegExp} sees @returns {import("../probes.mjs").Ending} */
const artifact = (id, tries, command, sees) => ({
  ...{ id, tries, ending: "passed", commands: [command], artifacts: ["out"], sees },
  ...{ on: ["docker", "vm", "os"] },
});
/** The os driver says that the job may not read it. */
const hidden = /artifact error: out: (not found|permission denied)/;
const irregular = /artifact error: out: (not a regular file|not found)/;

/** @type {import("../probes.mjs").Subject} */
export const artifacts = {
  title: "Artifacts",
  probes: [
    {
      ...artifact("artifact-host", "Collects a file of the runner's host through a symbolic link", "", hidden),
      commands: ({ secretFile }) => [`ln -s ${secretFile} out`],
    },
    {
      ...artifact("artifact-climb", "Collects a file of the host through a link that climbs out", "", hidden),
      commands: ({ secretFile }) => [`ln -s ../../../../../../../..${secretFile} out`],
    },
    artifact("artifact-fifo", "Makes the runner wait for a FIFO", "mkfifo out", irregular),
    artifact("artifact-device", "Makes the runner read an endless device", "ln -s /dev/zero out", irregular),
    {
      ...artifact("artifact-proc", "Collects the environment of the engine", "ln -s /proc/1/environ out", irregular),
      on: ["docker"],
    },
    artifact("artifact-loop", "Makes the runner follow a link to itself", "ln -s out out", /artifact error: out: .*/),
    artifact("artifact-folder", "Collects a folder as a file", "mkdir out", irregular),
    artifact(
      "artifact-size",
      "Collects a file that claims to have a terabyte",
      "truncate -s 1099511627776 out",
      /artifact error: out: larger than 50 MiB/,
    ),
  ],
};
