// What one replica of each service carries when many ask at once: requests per second, the processor time that each
// takes of each process, and beside it what the same client gets from an HTTP server that does nothing.
import { Agent, request } from "undici";
import { cpuOfChildren, start } from "./processes.mjs";
import { manifest } from "./trivial-build.mjs";

/** Clients at work at the same time. */
const parallel = 16;
const reads = 4_000;
const builds = 600;

/** @typedef {import("../deploy/local/start/api.mjs").Api} Api */

/**
 * Does something `count` times, by as many clients at once as said above.
 * @param {number} count
 * @param {() => Promise<unknown>} work
 * @returns {Promise<{ perSecond: number, cpuMs: Map<string, number> }>} `cpuMs` for each time, by process
 */
const together = async (count, work) => {
  const [from, before] = [performance.now(), cpuOfChildren()];
  let left = count;
  const client = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: parallel }, client));
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
 * Measures and prints reading, and builds from their submission to their end.
 * @param {Api} api
 */
export const capacity = async (api) => {
  const agent = new Agent({ connections: parallel });
  const bare = await start("receiver.mjs");
  /** @param {string} url @param {"GET" | "POST"} method @param {unknown} [json] @returns {Promise<any>} */
  const ask = async (url, method, json) => {
    const headers = { Authorization: `Bearer ${api.token}`, "Content-Type": "application/json" };
    const body = json === undefined ? undefined : JSON.stringify(json);
    const answer = await request(url, { dispatcher: agent, method, headers, body });
    if (answer.statusCode >= 300) throw new Error(`${method} ${url}: ${answer.statusCode} ${await answer.body.text()}`);
    return answer.statusCode === 204 ? answer.body.dump() : answer.body.json();
  };
  /** @param {string} title @param {number} count @param {() => Promise<unknown>} work */
  const measure = async (title, count, work) => {
    const nothing = () => ask(`http://127.0.0.1:${bare.hello.port}/bare`, "POST", {});
    const first = await together(reads, nothing);
    const { perSecond, cpuMs } = await together(count, work);
    const second = await together(reads, nothing);
    const ratio = (perSecond * 2) / (first.perSecond + second.perSecond);
    console.log(`\n${title}\n  ${perSecond.toFixed(0)}/s; ${ratio.toFixed(3)} times a server that does nothing`);
    console.log(`  CPU of each, ms: ${shown(cpuMs)}`);
  };

  const text = manifest("  type: os");
  const submit = () => ask(`${api.url}/builds`, "POST", { manifest: text });
  const toItsEnd = async () => {
    const { output_url } = await submit();
    for await (const { event } of api.stream(output_url)) if (event === "end") return;
  };
  try {
    // The services compile their code while they run.
    await together(builds / 2, toItsEnd);
    const { url } = await submit();
    await together(reads / 2, () => ask(url, "GET"));
    console.log(`\n${parallel} clients at once, one process of each service`);
    await measure("reading one build", reads, () => ask(url, "GET"));
    await measure("reading a list of 25 builds", reads / 2, () => ask(`${api.url}/builds`, "GET"));
    await measure("builds of one trivial job (os driver), from POST to their end", builds, toItsEnd);
  } finally {
    bare.child.disconnect();
    await agent.close();
  }
};
