import { clientOf } from "../all/client.mjs";
import { repeat } from "../all/load.mjs";
import { manifest } from "../trivial-build.mjs";
import { greatest, sum, withCpu } from "./cost.mjs";

/** No runner serves qemu here, so these builds stay queued. */
const queued = manifest("  type: qemu\n  image: none");
const durationMs = 4_000;

/** @param {import("../growth.mjs").World} world @returns {Promise<import("../growth.mjs").Table>} */
export const growClients = async ({ url, api }) => {
  const client = clientOf(url, api.token);
  const submit = () => client.send("POST", "/builds", { manifest: queued });
  const { number } = await client.json("POST", "/builds", { manifest: queued });
  const read = () => client.send("GET", `/b/admin/${number}`);
  await repeat(8, durationMs, () => Promise.all([submit(), read()]));
  const rows = [];
  for (const clients of [1, 8, 32, 128]) {
    const posts = await withCpu(() => repeat(clients, durationMs, submit));
    const gets = await withCpu(() => repeat(clients, durationMs, read));
    const { perSecond, p50Ms, p99Ms, operations } = posts.result;
    rows.push([
      ...[clients, perSecond, p50Ms, p99Ms, sum(posts.cpuMs) / operations, greatest(posts.cpuMs, operations)],
      ...[gets.result.perSecond, gets.result.p99Ms, greatest(gets.cpuMs, gets.result.operations)],
    ]);
  }
  await client.close();
  return {
    title: "Clients",
    about:
      "All clients of one user submit builds that stay queued, then read one build. The last column of each kind is what limits it " +
      "once cores are free: a process of 2 ms for each operation serves at most 500 a second, and a second replica as many more.",
    columns: ["clients", "POST/s", "p50 ms", "p99 ms", "processor ms", "most in", "GET/s", "p99 ms", "most in"],
    rows,
  };
};
