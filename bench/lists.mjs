// `npm run bench -- lists`: shows that lists and reads of builds cost the same for any amount of data. Every request goes
// to a small and a large system in turn. The exit code is 1 if a bound is missed. A second argument makes the large
// system smaller: `lists 0.01` for a quick look.
import { join } from "node:path";
import { temporaryFolder } from "../deploy/local/start/guardian.mjs";
import { cloneAccounts } from "./lists/clone-accounts.mjs";
import { cloneBuilds } from "./lists/clone-builds.mjs";
import { cloneRecords } from "./lists/clone-records.mjs";
import { compare, reportAlone } from "./lists/compare.mjs";
import { startListener } from "./lists/listener.mjs";
import { buildRequests, deepRequests, joinedRequests, listRequests } from "./lists/requests.mjs";
import { startOne } from "./lists/systems.mjs";
import { makeTemplates, settled } from "./lists/templates.mjs";
import { untilIdle } from "./processes.mjs";

/** @typedef {import("./lists/clone-accounts.mjs").Sizes} Sizes */

const small = { namespaces: 100, people: 100, records: 100, builds: 1_000 };
const large = { namespaces: 10_000, people: 1_000, records: 100_000, builds: 1_000_000 };

/** @param {number} share @returns {Sizes} */
const part = (share) => ({
  namespaces: Math.max(small.namespaces, large.namespaces * share),
  people: Math.max(small.people, large.people * share),
  records: Math.max(small.records, large.records * share),
  builds: Math.max(small.builds, large.builds * share),
});

/** @param {import("./lists/systems.mjs").System} system @param {Sizes} sizes @param {string} hookUrl */
const seed = async (system, sizes, hookUrl) => {
  const from = Date.now();
  const users = await makeTemplates(system, hookUrl);
  let number = 0;
  await system.asleep(async () => {
    const places = { people: sizes.people, ...(await cloneAccounts(system, sizes, users)) };
    await cloneRecords(system, sizes, places);
    number = await cloneBuilds(system, sizes.builds, places);
  });
  // Creating one more record proves that the counters are right.
  await system.api.json("POST", "/variables", { key: "LAST", value: "one" });
  await settled(system);
  console.log(
    `Stored ${sizes.records} records of each kind and ${sizes.builds} builds in ${((Date.now() - from) / 1_000).toFixed()} s`,
  );
  return { number, callers: { admin: system.api, joiner: users.joiner.api, guest: users.guest.api } };
};

/**
 * Runs the whole comparison.
 * @param {number} share of the large system's size
 * @returns {Promise<boolean>} whether no bound was missed
 */
export const lists = async (share = 1) => {
  // Curation reads every build with artifacts, which would disturb the measurement.
  process.env.ARTIFACT_STORAGE = "0";
  const dataDir = temporaryFolder("service-ci-bench-");
  const listener = await startListener();
  const stops = /** @type {(() => unknown)[]} */ ([listener.stop]);
  try {
    const a = await startOne(join(dataDir, "small"), listener.address);
    stops.push(a.stop);
    const b = await startOne(join(dataDir, "large"), listener.address);
    stops.push(b.stop);
    const little = await seed(a, small, `http://${listener.address}/`);
    const much = await seed(b, part(share), `http://${listener.address}/`);
    // MongoDB keeps writing to disk for a while.
    await untilIdle();
    const misses =
      (await compare("Lists", little.callers, much.callers, listRequests())) +
      (await compare("Builds", little.callers, much.callers, buildRequests(little.number)));
    const joined = "A user who collaborates on ten times as many roots (no bound: each root is searched)";
    await compare(joined, little.callers, much.callers, joinedRequests());
    console.log("\nThe large system alone, deep pages (no bound: the records before the page are skipped one by one)");
    await reportAlone(much.callers, deepRequests());
    console.log(misses > 0 ? `\n${misses} bounds missed` : "\nNo bound missed");
    return misses === 0;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
};
