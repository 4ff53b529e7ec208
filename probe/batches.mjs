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
  // The host of the os driver may have no `nc`, and images have no bash.
  const greeting =
    place === "os"
      ? `timeout 20 bash -c 'cat < /dev/tcp/${publicAddress}/${port}'`
      : `nc -w 20 ${publicAddress} ${port} < /dev/null`;
  const commands = [`${greeting} | grep outside > out`, "sleep 2"];
  const jobs = [{ stage: "test", commands, artifacts: ["out"] }];
  const ended = await follow(api, await submit(api, { driver: drivers[place], stages: ["test"], jobs }));
  const content = await api
    .send("GET", `${ended.url}/artifacts/out`, undefined, { Accept: "application/octet-stream" })
    .then(
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

/** Runs a build that has to pass before an attack. @param {World} world @param {Place} place @param {string[]} commands */
const runEarlier = async ({ api, drivers }, place, commands) => {
  const manifest = { driver: drivers[place], stages: ["test"], jobs: [{ stage: "test", commands }] };
  const { status, output } = await follow(api, await submit(api, manifest));
  if (status !== "passed") throw new Error(`the build before it ended as ${status}:\n${output}`);
};

/**
 * Runs a batch and judges its probes. Manifests that the API refuses make no build.
 * @param {World} world
 * @param {Batch} batch
 * @returns {Promise<{ results: Result[], ended?: import("./builds.mjs").Ended }>}
 */
const runBatch = async (world, { place, probes }) => {
  const results = (/** @type {(probe: Probe) => Verdict} */ judge) =>
    probes.map((probe) => ({ probe, place, verdict: judge(probe) }));
  try {
    const [first] = probes;
    if ("manifest" in first) {
      const verdict = await refuse(world, first);
      return { results: results(() => verdict) };
    }
    if ("script" in first && first.earlier) await runEarlier(world, place, first.earlier);
    const build = await submit(world.api, manifestOf(world, { place, probes }));
    const ended = await follow(world.api, build, { kill: "kill" in first ? first.kill : undefined });
    const verdicts = results((probe) =>
      "script" in probe
        ? judgeAttack(probe, ended.output)
        : judgeEnding(/** @type {import("./probes.mjs").Ending} */ (probe), ended),
    );
    return { results: verdicts, ended };
  } catch (error) {
    const complaint = /** @type {Error} */ (error).message;
    return { results: results(() => ({ complaint })) };
  }
};

/**
 * Runs some batches at the same time, and a healthy build beside them. Batches that ended before it began run again.
 * @param {World} world
 * @param {Batch[]} batches
 * @returns {Promise<Result[]>}
 */
const runRound = async (world, batches, round = 1) => {
  const [{ place }] = batches;
  /** @type {(results: Result[], complaint: string) => Result[]} */
  const failed = (results, complaint) => results.map((result) => ({ ...result, verdict: { complaint } }));
  const healthy = healthyBuild(world, place).catch((/** @type {Error} */ error) => error);
  const ran = await Promise.all(batches.map((batch) => runBatch(world, batch)));
  const beside = await healthy;
  if (beside instanceof Error) return ran.flatMap(({ results }) => failed(results, beside.message));
  if (!(await world.diskIsIntact()))
    return ran.flatMap(({ results }) => failed(results, "the image of other builds has changed"));
  const alone = batches.filter((_batch, nth) => {
    const { ended } = ran[nth];
    return ended && !overlap(ended, beside);
  });
  const good = ran.flatMap(({ results }, nth) => (alone.includes(batches[nth]) ? [] : results));
  if (alone.length === 0) return good;
  if (round < maxRounds) return [...good, ...(await runRound(world, alone, round + 1))];
  const left = ran.flatMap(({ results }, nth) => (alone.includes(batches[nth]) ? results : []));
  return [...good, ...failed(left, "no healthy build ran at the same time")];
};

/**
 * @param {World} world
 * @param {Batch[]} batches
 * @param {number} atOnce how many run at the same time
 */
export const runBatches = async (world, batches, atOnce) => {
  /** @type {Result[]} */
  const results = [];
  for (let nth = 0; nth < batches.length; nth += atOnce)
    results.push(...(await runRound(world, batches.slice(nth, nth + atOnce))));
  return results;
};
