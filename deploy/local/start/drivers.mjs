// Which drivers the runner serves, and with which of them the sample build runs.

/**
 * What was found: the address of an engine that answers, an image for the sample, and why there is none.
 * @typedef {{ engine?: string, image?: string, reason?: string }} Found
 *
 * `serves` is RUNNER_DRIVERS. `sample` is missing where no driver fits; `missing` says why then. `says` is for the user.
 * @typedef {{ serves: string[], sample?: "docker" | "os", missing?: string, says: string[] }} Choice
 */

/**
 * The runner's drivers where nobody has said: the sample's first.
 * @param {(name: string) => boolean} allows
 * @param {Found} found
 */
const usual = (allows, { engine, image }) => {
  if (engine && image && allows("docker")) return ["docker"];
  const both = [...(engine ? ["docker"] : []), "os"].filter(allows);
  return both.length > 0 ? both : ["qemu"].filter(allows);
};

/** @param {string[] | undefined} served @param {string[] | undefined} allowed */
const settings = (served, allowed) =>
  [served && `RUNNER_DRIVERS=${served}`, allowed && `DRIVERS=${allowed}`].filter(Boolean).join(" and ");

/**
 * Whether an image for the sample is worth looking for.
 * @param {Pick<import("./options.mjs").Options, "served" | "allowed">} options
 */
export const wantsDocker = ({ served, allowed }) =>
  [served, allowed].every((names) => names === undefined || names.includes("docker"));

/**
 * @param {Pick<import("./options.mjs").Options, "served" | "allowed">} options
 * @param {Found} found
 * @returns {Choice}
 * @throws {Error} with one sentence where no build could run
 */
export const chooseDrivers = ({ served, allowed }, found) => {
  const allows = (/** @type {string} */ name) => !allowed || allowed.includes(name);
  const no = "no Docker Engine answers";
  const serves = served ?? usual(allows, found);
  const usable = serves.filter(allows);
  if (served && usable.length === 0) throw new Error(`${settings(served, allowed)} have no driver in common.`);
  if (usable.every((name) => name === "docker") && !found.engine)
    throw new Error(`${settings(served, allowed)}, but ${no}: start Docker, set DOCKER_HOST, or allow os as well.`);
  const says = [];
  const docker = usable.includes("docker") && found.image;
  const sample = docker ? "docker" : usable.includes("os") ? "os" : undefined;
  if (sample === "os" && !served)
    says.push(`The sample build runs with the os driver, as processes of this machine: ${found.reason ?? no}.`);
  if (allows("docker") && !(serves.includes("docker") && found.engine))
    says.push(
      `A build whose manifest says docker waits in the queue: ${found.engine ? "this runner does not serve docker" : `${no} (start Docker, or set DOCKER_HOST, and start again)`}.`,
    );
  const missing =
    usable.includes("docker") && found.engine
      ? `it has no image (${found.reason})`
      : `it needs docker or os, and ${settings(served, allowed)}`;
  return { serves, sample, missing: sample ? undefined : `No sample build is run: ${missing}.`, says };
};
