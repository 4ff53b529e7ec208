const job = { stage: "test", commands: ["true"] };

/** @param {string} id @param {string} tries @param {object} manifest @param {RegExp} sees @returns {import("../probes.mjs").Refusal} */
const refused = (id, tries, manifest, sees) => ({
  id,
  tries,
  manifest: { stages: ["test"], jobs: [job], ...manifest },
  sees,
});
/** @param {string} id @param {string} tries @param {object} driver @param {RegExp} sees @param {import("../probes.mjs").Place[]} [on] @returns {import("../probes.mjs").Ending} */
const failing = (id, tries, driver, sees, on) => ({
  id,
  tries,
  ending: "failed",
  driver,
  commands: ["true"],
  sees,
  on,
});

/** @type {import("../probes.mjs").Subject} */
export const manifests = {
  title: "Manifests",
  probes: [
    refused(
      "workspace-root",
      "Makes the container's root its workspace",
      { driver: { type: "docker", image: "x", workspace: "/" } },
      /driver docker invalid workspace \//,
    ),
    refused(
      "workspace-climb",
      "Makes a folder of the host its workspace",
      { driver: { type: "docker", image: "x", workspace: "/../etc" } },
      /driver docker invalid workspace \/\.\.\/etc/,
    ),
    refused(
      "driver-os",
      "Asks for the `os` driver, which runs on the host itself",
      { driver: { type: "os" } },
      /driver error: os - driver disabled/,
    ),
    refused(
      "manifest-privileges",
      "Asks in its manifest for a privileged container, host mounts and the host's network",
      {
        driver: {
          type: "docker",
          image: "x",
          workspace: "/w",
          privileged: true,
          network: "host",
          volumes: ["/:/host"],
        },
      },
      /unknown key/,
    ),
    refused(
      "artifact-name",
      "Names an artifact so that it is stored elsewhere",
      { jobs: [{ ...job, artifacts: ["a => ../../b"] }] },
      /artifact[^"]*/,
    ),
    refused("object-path", "Places an object outside of its workspace", { objects: ["a => ../../b"] }, /object[^"]*/),
    refused("source-option", "Passes an option to git as a source", { sources: ["--upload-pack=x"] }, /source[^"]*/),
    {
      ...failing(
        "workspace-proc",
        "Makes `/proc` its workspace",
        { workspace: "/proc" },
        /The container engine cannot run image \S+ with the workspace \/proc;/,
      ),
      shown: "The container engine cannot run image … with the workspace /proc",
    },
    failing(
      "registry-host",
      "Makes the engine pull from a port of its host",
      { image: "127.0.0.1:5000/x" },
      /Images cannot be pulled from [^ ]+: address not allowed/,
    ),
    failing(
      "registry-metadata",
      "Makes the engine pull from the metadata service",
      { image: "169.254.169.254/x" },
      /Images cannot be pulled from [^ ]+: address not allowed/,
    ),
    failing(
      "image-path",
      "Boots a file of the host as an image",
      { type: "qemu", image: "../../../../etc/passwd", workspace: undefined },
      /There is no image[^\n:]*/,
      ["vm"],
    ),
  ],
};
