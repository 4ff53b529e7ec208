// Measures requests with 10^3 to 10^6 builds. The services are stopped while their data is cloned.
import { removeFolder, temporaryFolder } from "../../deploy/local/start/guardian.mjs";
import { clientOf } from "../all/client.mjs";
import { repeat } from "../all/load.mjs";
import { cloneAccounts } from "../lists/clone-accounts.mjs";
import { cloneBuilds } from "../lists/clone-builds.mjs";
import { startListener } from "../lists/listener.mjs";
import { startOne } from "../lists/systems.mjs";
import { makeTemplates, settled } from "../lists/templates.mjs";
import { start, untilIdle } from "../processes.mjs";
import { manifest } from "../trivial-build.mjs";

const clients = 16;
const rounds = 3;
const durationMs = 2_000;
const listed = 25;
/** No runner serves docker here, so these builds stay queued. */
const queued = manifest("  type: docker\n  image: none\n  workspace: /w");

/** @param {number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[(values.length - 1) >> 1];

/** Measures each request and its reference in turn, and returns the requests' rates and ratios. @param {import("../lists/systems.mjs").System} system @param {number} number of a build */
const measure = async ({ api }, number) => {
  const echo = await start("all/echo.mjs", ["front", process.env.MONGO_URL ?? ""]);
  const [ours, bare] = [clientOf(api.url, api.token), clientOf(`http://127.0.0.1:${echo.hello.port}`)];
  const sizeOf = async (/** @type {string} */ path) => JSON.stringify(await ours.json("GET", path)).length;
  const [one, list] = [`/b/admin/${number}`, "/builds?status=passed"];
  const echoed = (/** @type {number} */ bytes) => () => bare.send("GET", `/echo?bytes=${bytes}`);
  const insert = () => bare.send("POST", "/insert", { manifest: queued });
  const pairs = [
    [() => ours.send("POST", "/builds", { manifest: queued }), insert],
    [() => ours.send("GET", one), echoed(await sizeOf(one))],
    [() => ours.send("GET", list), echoed(await sizeOf(list))],
  ];
  for (const [work] of pairs) await repeat(clients, durationMs, work);
  const cells = [];
  for (const [work, reference] of pairs) {
    /** @type {{ rate: number, ratio: number }[]} */
    const seen = [];
    for (let round = 0; round < rounds; round++) {
      const [{ perSecond: rate }, bare] = [
        await repeat(clients, durationMs, work),
        await repeat(clients, durationMs, reference),
      ];
      seen.push({ rate, ratio: rate / bare.perSecond });
    }
    cells.push(median(seen.map(({ rate }) => rate)), median(seen.map(({ ratio }) => ratio)));
  }
  await Promise.all([ours.close(), bare.close()]);
  echo.child.disconnect();
  return cells;
};

/** @param {number} share of the largest data @returns {Promise<import("../growth.mjs").Table>} */
export const growData = async (share) => {
  process.env.ARTIFACT_STORAGE = "0";
  const rows = [];
  for (const builds of [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= 1_000_000 * share)) {
    const dataDir = temporaryFolder("service-ci-bench-");
    const listener = await startListener();
    const system = await startOne(dataDir, listener.address);
    try {
      const users = await makeTemplates(system, `http://${listener.address}/`);
      const namespaces = Math.max(100, builds / 100);
      const people = Math.min(1_000, namespaces);
      let number = 0;
      await system.asleep(async () => {
        const places = { people, ...(await cloneAccounts(system, { namespaces, people, records: 0, builds }, users)) };
        number = await cloneBuilds(system, builds, places);
      });
      await settled(system);
      await untilIdle();
      rows.push([builds, 2 * people, 2 * namespaces, ...(await measure(system, number))]);
    } finally {
      await system.stop();
      listener.stop();
      removeFolder(dataDir);
    }
  }
  return {
    title: "Data",
    about:
      `${clients} clients, medians of ${rounds} rounds. Each ratio is to express and gRPC with as many bytes, measured in turn: it stays the same if ` +
      `data costs nothing, however fast the machine is at that moment. A list has ${listed} builds.`,
    columns: ["builds", "users", "namespaces", "POST/s", "ratio", "GET one/s", "ratio", "GET list/s", "ratio"],
    rows,
  };
};
