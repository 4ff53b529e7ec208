// `node bench/deliveries.mjs`: measures signed webhook deliveries from the event in MongoDB to the received POST, and
// compares them with a plain loop of POSTs to the same receiver. Every server and service is a separate process.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { startMongod, startNats } from "../deploy/local/provision/binaries.mjs";
import { build } from "../deploy/local/provision/build.mjs";
import { install } from "../deploy/local/provision/install.mjs";
import { freePort } from "../deploy/local/provision/machine.mjs";
import { apiAt } from "../deploy/local/start/api.mjs";
import { readOrCreateSettings } from "../deploy/local/start/settings.mjs";
import { startSystem } from "../deploy/local/start/system.mjs";
import { cpuOfChildren, start } from "./processes.mjs";

/** @typedef {import("./receiver.mjs").Account} Account */
/** @typedef {{ title: string, namespaceIds: number[], perEvent: number, lanes: number, count: number, perSecond?: number }} Case */

const secret = "a secret that both sides know";
/** Scales the number of deliveries. With 3, a case without a fixed rate takes six to twelve seconds. */
const factor = Number(process.argv[2] ?? 3);
/** After this long, missing deliveries count as lost. */
const maxWaitMs = 60_000;

await install();
await build();
const dataDir = mkdtempSync(join(tmpdir(), "service-ci-bench-"));
const server = async (/** @type {string} */ name) => ({
  dataDir: join(dataDir, name),
  logFile: join(dataDir, `${name}.log`),
  port: await freePort(),
});
const mongod = await startMongod(await server("mongod"));
const nats = await startNats(await server("nats"));
process.env.MONGO_URL = mongod.url;
process.env.NATS_URL = nats.url;
process.env.LOG_LEVEL ||= "warn";
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const settings = readOrCreateSettings(dataDir);
const system = await startSystem({ ...settings, url, port, dataDir, guardAllow: "127.0.0.1", drivers: "os" });
const api = apiAt(url, settings.adminToken);
const receiver = await start("receiver.mjs");
const emitter = await start("emitter.mjs", [mongod.url, nats.url]);
const target = `http://127.0.0.1:${receiver.hello.port}`;

/** @param {string} name @param {number} webhooks */
const namespaceWith = async (name, webhooks) => {
  const { id, url: address } = await api.json("POST", "/namespaces", { name });
  for (let n = 0; n < webhooks; n++)
    await api.json("POST", `${address}/-/webhooks`, { payload_url: `${target}/${name}/${n}`, secret });
  return id;
};

/**
 * Sends plain POSTs in several loops, and returns the rate. Each loop waits for one response before it sends again.
 * @param {number} lanes
 * @param {number} count
 */
const measurePosts = async (lanes, count) => {
  const agent = new Agent();
  const body = JSON.stringify({ text: "x".repeat(1_500) });
  const headers = { "Content-Type": "application/json" };
  const startMs = performance.now();
  const loop = async () => {
    for (let n = 0; n < count / lanes; n++) {
      const response = await request(`${target}/bare`, { dispatcher: agent, method: "POST", headers, body });
      await response.body.dump();
    }
  };
  await Promise.all(Array.from({ length: lanes }, loop));
  await agent.close();
  return (count * 1_000) / (performance.now() - startMs);
};

/** @param {Case} emission @param {number} userId @returns {Promise<{ account: Account, seconds: number, cpuMs: Map<string, number> }>} */
const deliver = async ({ namespaceIds, perEvent, count, perSecond }, userId) => {
  const before = cpuOfChildren();
  receiver.child.send({ count, secret });
  const reported = receiver.next();
  const emitted = emitter.next();
  emitter.child.send({ count: count / perEvent, userId, namespaceIds, perSecond: perSecond && perSecond / perEvent });
  const { fromMs } = (await emitted).emitted;
  const giveUp = setTimeout(() => receiver.child.send("now"), maxWaitMs);
  const { account } = await reported;
  clearTimeout(giveUp);
  const cpuMs = new Map([...cpuOfChildren()].map(([name, ms]) => [name, ms - (before.get(name) ?? 0)]));
  return { account, seconds: (account.lastMs - fromMs) / 1_000, cpuMs };
};

/** @param {Case} benchCase @param {number} userId */
const measure = async (benchCase, userId) => {
  const { title, lanes, count, perSecond } = benchCase;
  const [first, { account, seconds, cpuMs }, second] = [
    await measurePosts(lanes, count),
    await deliver(benchCase, userId),
    await measurePosts(lanes, count),
  ];
  const [rate, bareRate] = [account.count / seconds, (first + second) / 2];
  console.log(`\n${title}`);
  if (!perSecond)
    console.log(
      `  ${rate.toFixed(0)} deliveries/s; bare POST loop ${bareRate.toFixed(0)}/s; ratio ${(rate / bareRate).toFixed(2)}`,
    );
  else console.log(`  event to receipt: p50 ${account.p50Ms} ms, p95 ${account.p95Ms} ms`);
  const { duplicated, disordered, verified, invalid } = account;
  console.log(
    `  lost ${count - account.count}, duplicated ${duplicated}, out of order ${disordered}; signatures: ${verified} valid, ${invalid} invalid`,
  );
  const used = [...cpuMs].filter(([, ms]) => ms > 0.02 * count).sort(([, a], [, b]) => b - a);
  const sum = used.reduce((total, [, ms]) => total + ms, 0);
  const each = used.map(([name, ms]) => `${name} ${(ms / count).toFixed(2)}`).join(", ");
  if (used.length > 0) console.log(`  CPU per delivery: ${(sum / count).toFixed(2)} ms (${each})`);
};

try {
  const { id: userId } = await api.json("GET", "/user");
  const single = [await namespaceWith("single", 1)];
  const fan = [await namespaceWith("fan", 20)];
  const spread = [];
  for (let n = 0; n < 20; n++) spread.push(await namespaceWith(`spread${n}`, 1));
  // Let V8 compile the hot code before anything is measured.
  await deliver(
    { title: "", namespaceIds: [...single, ...spread], perEvent: 1, lanes: 0, count: 4_000 * factor },
    userId,
  );
  const to20 = { namespaceIds: spread, perEvent: 1, lanes: 20 };
  await measure({ title: "20 webhooks, one per namespace", ...to20, count: 6_000 * factor }, userId);
  await measure(
    { title: "20 webhooks of one namespace", namespaceIds: fan, perEvent: 20, lanes: 20, count: 6_000 * factor },
    userId,
  );
  await measure(
    { title: "a single webhook", namespaceIds: single, perEvent: 1, lanes: 1, count: 2_000 * factor },
    userId,
  );
  await measure(
    { title: "20 webhooks, one per namespace, 300/s", ...to20, count: 3_000 * factor, perSecond: 300 },
    userId,
  );
} finally {
  receiver.child.disconnect();
  emitter.child.disconnect();
  await system.stop();
  await nats.stop();
  await mongod.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(0);
