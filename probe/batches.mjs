// Runs probes, each beside a healthy build that has to pass.
import { follow, overlap, submit } from "./builds.mjs";
import { jobsOf, judgeAttack, judgeEnding, judgeRefusal } from "./judge.mjs";
import { placesOf, subjects } from "./probes.mjs";

/**
 * @typedef {import("./probes.mjs").Probe} Probe
 * @typedef {import("./probes.mjs").Place} Place
 * @typedef {import("./world.mjs").World} World
 * @typedef {{ seen: string } | { complaint: string }} Verdict
 * @typedef {{ probe: Probe, place: Place, verdict: Verdict }} Result
 * Probes that share a build.
 * @typedef {{ place: Place, probes: Probe[] }} Batch
 */

const maxRounds = 3;

/**
 * Groups probes: attacks in a virtual machine share one, because a boot takes long. Every other probe has its own build.
 * @param {Place} place
 * @param {(probe: Probe) => boolean} wanted
 * @returns {Batch[]}
 */
export const batchesOf = (place, wanted) => {
  const probes = subjects.flatMap((subject) => subject.probes.filter((probe) => placesOf(probe).includes(place)));
  const chosen = probes.filter(wanted);
  const shares = (/** @type {Probe} */ probe) => place === "vm" && "script" in probe;
  const shared = chosen.filter(shares);
  const own = chosen.filter((probe) => !shares(probe)).map((probe) => ({ place, probes: [probe] }));
  return shared.length > 0 ? [{ place, probes: shared }, ...own] : own;
};

/** Runs a build that has to pass. @param {World} world @param {Place} place */
const healthyBuild = async (world, place) => {
  const { api, drivers, publicAddress, port } = world;
  const commands = [`nc -w 20 ${publicAddress} ${port} < /dev/null | grep outside > out`, "sleep 1"];
  const jobs = [{ stage: "test", commands, artifacts: ["out"] }];
  const ended = await follow(api, await submit(api, { driver: drivers[place], stages: ["test"], jobs }));
  const content = await api.send("GET", `${ended.url}/artifacts/out`, undefined, { Accept: "application/octet-stream" }).then(
    (response) => response.text(),
    (error) => error.message,
  );
  if (ended.status !== "passed" || content !== "outside\n")
    throw new Error(`the healthy build beside it ended as ${ended.status}:\n${ended.output}\n${content}`);
  return ended;
};

/** @param {World} world @param {Batch} batch */
const manifestOf = (world, { place, probes }) => {
  const [{ driver }] = probes;
  const jobs = probes.flatMap((probe) => ("manifest" in probe ? [] : jobsOf(probe, world)));
  return { driver: { ...world.drivers[place], ...driver }, stages: ["test"], jobs };
};

/** @param {World} world @param {import("./probes.mjs").Refusal} probe */
const refuse = (world, probe) =>
  submit(world.api, { driver: world.drivers.docker, ...probe.manifest }).then(
    () => judgeRefusal(probe, undefined),
    (error) => judgeRefusal(probe, error),
  );

/**
 * Runs a batch beside a healthy build, again if they did not overlap.
 * @param {World} world
 * @param {Batch} batch
 */
const runBeside = async (world, batch) => {
  const [probe] = batch.probes;
  const kill = "kill" in probe ? probe.kill : undefined;
  for (let round = 0; round < maxRounds; round++) {
    const build = await submit(world.api, manifestOf(world, batch));
    const [ended, healthy] = await Promise.all([follow(world.api, build, { kill }), healthyBuild(world, batch.place)]);
    if (overlap(ended, healthy)) return ended;
  }
  throw new Error("no healthy build ran at the same time");
};

/**
 * Runs a batch and judges its probes.
 * @param {World} world
 * @param {Batch} batch
 * @returns {Promise<Result[]>}
 */
export const runBatch = async (world, { place, probes }) => {
  const results = (/** @type {(probe: Probe) => Verdict} */ judge) =>
    probes.map((probe) => ({ probe, place, verdict: judge(probe) }));
  try {
    const [first] = probes;
    if ("manifest" in first) {
      const [verdict] = await Promise.all([refuse(world, first), healthyBuild(world, place)]);
      return results(() => verdict);
    }
    const ended = await runBeside(world, { place, probes });
    if (place === "vm" && !(await world.diskIsIntact())) throw new Error("it changed the image of other builds");
    return results((probe) => {
      if ("manifest" in probe) return { complaint: "a manifest cannot share a build" };
      return "script" in probe ? judgeAttack(probe, ended.output) : judgeEnding(probe, ended);
    });
  } catch (error) {
    const complaint = /** @type {Error} */ (error).message;
    return results(() => ({ complaint }));
  }
};

/**
 * Runs batches, some at the same time.
 * @param {World} world
 * @param {Batch[]} batches
 * @param {number} lanes
 */
export const runBatches = async (world, batches, lanes) => {
  const waiting = [...batches];
  /** @type {Result[]} */
  const results = [];
  const lane = async () => {
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) results.push(...(await runBatch(world, batch)));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
};
