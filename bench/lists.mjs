// `npm run bench -- lists`: a list, and the reading of a build, cost the same however much is stored. Two systems run
// side by side, one with little and one with much in it; every request goes to both in turn. Ends with exit code 1
// when a bound is missed. A second argument makes the large one smaller: `lists 0.01` for a quick look.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cloneAccounts } from "./lists/clone-accounts.mjs";
import { cloneBuilds } from "./lists/clone-builds.mjs";
import { cloneRecords } from "./lists/clone-records.mjs";
import { compare, reportAlone } from "./lists/compare.mjs";
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

/** A server that any webhook may tell anything. */
const startListener = async () => {
  const server = createServer((request, response) => request.resume().once("end", () => response.writeHead(204).end()));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { address: `127.0.0.1:${port}`, stop: () => server.close() && server.closeAllConnections() };
};

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
  // The counters are right if the next record is made as any other.
  await system.api.json("POST", "/variables", { key: "LAST", value: "one" });
  await settled(system);
  console.log(
    `${sizes.records} records of a kind and ${sizes.builds} builds stored in ${((Date.now() - from) / 1_000).toFixed()} s`,
  );
  return { number, callers: { admin: system.api, joiner: users.joiner.api, guest: users.guest.api } };
};

/**
 * Runs the whole comparison.
 * @param {number} share of the large system's size
 * @returns {Promise<boolean>} whether every bound was kept
 */
export const lists = async (share = 1) => {
  // Curation reads every build that stores artifacts; that is not what is measured here.
  process.env.ARTIFACT_STORAGE = "0";
  const dataDir = mkdtempSync(join(tmpdir(), "service-ci-bench-"));
  const listener = await startListener();
  const stops = /** @type {(() => unknown)[]} */ ([listener.stop]);
  // Some GiB are not to stay behind, whichever way this ends.
  process.once("exit", () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  try {
    const a = await startOne(join(dataDir, "small"), listener.address);
    stops.push(a.stop);
    const b = await startOne(join(dataDir, "large"), listener.address);
    stops.push(b.stop);
    const little = await seed(a, small, `http://${listener.address}/`);
    const much = await seed(b, part(share), `http://${listener.address}/`);
    // MongoDB goes on writing what it was given for a while.
    await untilIdle();
    const misses =
      (await compare("Lists", little.callers, much.callers, listRequests())) +
      (await compare("Builds", little.callers, much.callers, buildRequests(little.number)));
    const joined = "A user who collaborates on ten times as many roots (no bound: each is a place to look in)";
    await compare(joined, little.callers, much.callers, joinedRequests());
    console.log("\nThe large system alone, page after page (no bound: each record before the page is passed over)");
    await reportAlone(much.callers, deepRequests());
    console.log(misses > 0 ? `\n${misses} bounds missed` : "\nEvery bound kept");
    return misses === 0;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
};
