// Measures signed webhook deliveries from the event in MongoDB to the received POST, and compares them with a plain loop of
// POSTs to the same receiver. Every server and service is a separate process.
import { Agent, request } from "undici";
import { cpuOfChildren, start } from "./processes.mjs";

/** @typedef {import("./receiver.mjs").Account} Account */
/** @typedef {{ title: string, namespaceIds: number[], perEvent: number, lanes: number, count: number, perSecond?: number }} Case */
/** @typedef {Awaited<ReturnType<typeof openDeliveries>>} Deliveries */

const secret = "a secret that both sides know";
/** After this long, missing deliveries count as lost. */
const maxWaitMs = 60_000;
/** Deliveries of a case without a fixed rate, for each unit of `factor`. */
const perFactor = 6_000;

/**
 * Sends plain POSTs in several loops, and returns the rate. Each loop waits for one response before it sends again.
 * @param {string} target
 * @param {number} lanes
 * @param {number} count
 */
const measurePosts = async (target, lanes, count) => {
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

/**
 * Makes namespaces with webhooks, a receiver and an emitter of events. `factor` scales the number of deliveries: with 3, a
 * case without a fixed rate takes six to twelve seconds.
 * @param {import("./all/world.mjs").World} world
 * @param {number} factor
 */
export const openDeliveries = async ({ api, mongoUrl, natsUrl }, factor) => {
  const receiver = await start("receiver.mjs");
  const emitter = await start("emitter.mjs", [mongoUrl, natsUrl]);
  const target = `http://127.0.0.1:${receiver.hello.port}`;
  const { id: userId } = await api.json("GET", "/user");

  /** @param {string} name @param {number} webhooks @returns {Promise<number>} */
  const namespaceWith = async (name, webhooks) => {
    const { id, url: address } = await api.json("POST", "/namespaces", { name });
    for (let n = 0; n < webhooks; n++)
      await api.json("POST", `${address}/-/webhooks`, { payload_url: `${target}/${name}/${n}`, secret });
    return id;
  };

  /** @param {Case} emission @returns {Promise<{ account: Account, seconds: number, cpuMs: Map<string, number> }>} */
  const deliver = async ({ namespaceIds, perEvent, count, perSecond }) => {
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

  const single = [await namespaceWith("single", 1)];
  const fan = [await namespaceWith("fan", 20)];
  const spread = [];
  for (let n = 0; n < 20; n++) spread.push(await namespaceWith(`spread${n}`, 1));
  const to20 = { namespaceIds: spread, perEvent: 1, lanes: 20 };
  const count = perFactor * factor;
  /** @type {Record<"spread" | "fan" | "single" | "slow", Case>} */
  const cases = {
    spread: { title: "20 webhooks, one per namespace", ...to20, count },
    fan: { title: "20 webhooks of one namespace", namespaceIds: fan, perEvent: 20, lanes: 20, count },
    single: { title: "a single webhook", namespaceIds: single, perEvent: 1, lanes: 1, count: count / 3 },
    slow: { title: "20 webhooks, one per namespace, 300/s", ...to20, count: count / 2, perSecond: 300 },
  };
  // Let V8 compile the hot code before anything is measured.
  await deliver({ ...cases.spread, namespaceIds: [...single, ...spread], count: 4_000 * factor });
  return {
    cases,
    deliver,
    namespaceWith,
    /** @param {Case} emission */
    bare: ({ lanes, count }) => measurePosts(target, lanes, count),
    close() {
      receiver.child.disconnect();
      emitter.child.disconnect();
    },
  };
};

/** @param {Deliveries} deliveries @param {Case} benchCase */
const measure = async ({ deliver, bare }, benchCase) => {
  const { title, count, perSecond } = benchCase;
  const [first, { account, seconds, cpuMs }, second] = [
    await bare(benchCase),
    await deliver(benchCase),
    await bare(benchCase),
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

/**
 * Measures and prints all cases.
 * @param {import("./all/world.mjs").World} world
 * @param {number} factor
 */
export const printDeliveries = async (world, factor) => {
  const deliveries = await openDeliveries(world, factor);
  try {
    for (const benchCase of Object.values(deliveries.cases)) await measure(deliveries, benchCase);
  } finally {
    deliveries.close();
  }
};
