// Measures one replica of each service with many clients: requests per second and the CPU time of each process. The
// reference is an HTTP server that does nothing.
import { Agent, request } from "undici";
import { cpuOfChildren, start } from "./processes.mjs";
import { manifest } from "./trivial-build.mjs";

/** Concurrent clients. */
const clients = 16;
const reads = 4_000;
const builds = 600;

/** @typedef {import("../deploy/local/start/api.mjs").Api} Api */

/**
 * Runs `work` `count` times, shared by all clients.
 * @param {number} count
 * @param {() => Promise<unknown>} work
 * @returns {Promise<{ perSecond: number, cpuMs: Map<string, number> }>} `cpuMs` of one run, by process
 */
const runClients = async (count, work) => {
  const [from, before] = [performance.now(), cpuOfChildren()];
  let left = count;
  const client = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: clients }, client));
  const perSecond = (count * 1_000) / (performance.now() - from);
  const each = [...cpuOfChildren()].map(([name, ms]) => [name, (ms - (before.get(name) ?? 0)) / count]);
  return { perSecond, cpuMs: new Map(/** @type {[string, number][]} */ (each)) };
};

/** @param {Map<string, number>} cpuMs */
const shown = (cpuMs) =>
  [...cpuMs]
    .filter(([, ms]) => ms >= 0.05)
    .sort(([, a], [, b]) => b - a)
    .map(([name, ms]) => `${name} ${ms.toFixed(2)}`)
    .join(", ");

/**
 * Measures and prints reads, and builds from their submission to their end.
 * @param {Api} api
 */
export const capacity = async (api) => {
  const agent = new Agent({ connections: clients });
  const bare = await start("receiver.mjs");
  /** @param {string} url @param {"GET" | "POST"} method @param {unknown} [json] @returns {Promise<any>} */
  const send = async (url, method, json) => {
    const headers = { Authorization: `Bearer ${api.token}`, "Content-Type": "application/json" };
    const body = json === undefined ? undefined : JSON.stringify(json);
    const response = await request(url, { dispatcher: agent, method, headers, body });
    if (response.statusCode >= 300)
      throw new Error(`${method} ${url}: ${response.statusCode} ${await response.body.text()}`);
    return response.statusCode === 204 ? response.body.dump() : response.body.json();
  };
  /** @param {string} title @param {number} count @param {() => Promise<unknown>} work */
  const measure = async (title, count, work) => {
    const nothing = () => send(`http://127.0.0.1:${bare.hello.port}/bare`, "POST", {});
    const first = await runClients(reads, nothing);
    const { perSecond, cpuMs } = await runClients(count, work);
    const second = await runClients(reads, nothing);
    const ratio = (perSecond * 2) / (first.perSecond + second.perSecond);
    console.log(`\n${title}\n  ${perSecond.toFixed(0)}/s; ${ratio.toFixed(3)} times a server that does nothing`);
    console.log(`  CPU time of one, ms: ${shown(cpuMs)}`);
  };

  const text = manifest("  type: os");
  const submit = () => send(`${api.url}/builds`, "POST", { manifest: text });
  const buildToEnd = async () => {
    const { output_url } = await submit();
    for await (const { event } of api.stream(output_url)) if (event === "end") return;
  };
  try {
    // Warm up: V8 compiles code while it runs.
    await runClients(builds / 2, buildToEnd);
    const { url } = await submit();
    await runClients(reads / 2, () => send(url, "GET"));
    console.log(`\n${clients} concurrent clients, one process of each service`);
    await measure("reading one build", reads, () => send(url, "GET"));
    await measure("reading a list of 25 builds", reads / 2, () => send(`${api.url}/builds`, "GET"));
    await measure("builds of one trivial job (os driver), from POST to end", builds, buildToEnd);
  } finally {
    bare.child.disconnect();
    await agent.close();
  }
};
