// Chooses the drivers of the runner, and the one that runs the sample build.

/**
 * `engine` is the address of a running Docker Engine, `image` an image for the sample. `reason` says why there is none.
 * @typedef {{ engine?: string, image?: string, reason?: string }} Found
 *
 * `serves` is RUNNER_DRIVERS. `sample` is the sample's driver; if none fits, `noSample` says why. `notes` are for the user.
 * @typedef {{ serves: string[], sample?: "docker" | "os", noSample?: string, notes: string[] }} Choice
 */

/**
 * The runner's drivers if RUNNER_DRIVERS is not set.
 * @param {(name: string) => boolean} allows
 * @param {Found} found
 */
const defaultDrivers = (allows, { engine, image }) => {
  if (engine && image && allows("docker")) return ["docker"];
  const both = [...(engine ? ["docker"] : []), "os"].filter(allows);
  return both.length > 0 ? both : ["qemu"].filter(allows);
};

/** @param {string[] | undefined} served @param {string[] | undefined} allowed */
const settings = (served, allowed) =>
  [served && `RUNNER_DRIVERS=${served}`, allowed && `DRIVERS=${allowed}`].filter(Boolean).join(" and ");

/**
 * Reports whether the sample could use a Docker image.
 * @param {Pick<import("./options.mjs").Options, "served" | "allowed">} options
 */
export const wantsDocker = ({ served, allowed }) =>
  [served, allowed].every((names) => names === undefined || names.includes("docker"));

/**
 * @param {Pick<import("./options.mjs").Options, "served" | "allowed">} options
 * @param {Found} found
 * @returns {Choice}
 * @throws {Error} with one sentence if no build could run
 */
export const chooseDrivers = ({ served, allowed }, found) => {
  const allows = (/** @type {string} */ name) => !allowed || allowed.includes(name);
  const noEngine = "no Docker Engine answers";
  const serves = served ?? defaultDrivers(allows, found);
  const usable = serves.filter(allows);
  if (served && usable.length === 0) throw new Error(`${settings(served, allowed)} have no driver in common.`);
  if (usable.every((name) => name === "docker") && !found.engine)
    throw new Error(
      `${settings(served, allowed)}, but ${noEngine}: start Docker, set DOCKER_HOST, or allow os as well.`,
    );
  const notes = [];
  const docker = usable.includes("docker") && found.image;
  const sample = docker ? "docker" : usable.includes("os") ? "os" : undefined;
  if (sample === "os" && !served)
    notes.push(
      `The sample build uses the os driver: its jobs run as processes of this machine, because ${found.reason ?? noEngine}.`,
    );
  if (allows("docker") && !(serves.includes("docker") && found.engine))
    notes.push(
      `Builds with the docker driver will stay queued: ${found.engine ? "this runner does not serve docker" : `${noEngine} (start Docker, or set DOCKER_HOST, and start again)`}.`,
    );
  const reason =
    usable.includes("docker") && found.engine
      ? `it has no image (${found.reason})`
      : `it needs docker or os, and ${settings(served, allowed)}`;
  return { serves, sample, noSample: sample ? undefined : `No sample build is run: ${reason}.`, notes };
};
