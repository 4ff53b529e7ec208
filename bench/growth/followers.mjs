import { once } from "node:events";
import { Agent, request } from "undici";
import { quantile } from "../statistics.mjs";
import { sum, withCpu } from "./cost.mjs";

const lines = 100;
const text = `driver: {type: os}
stages: [only]
jobs: [{stage: only, commands: ["sleep 3; n=0; while [ $n -lt ${lines} ]; do echo at-$(date +%s%3N)-; sleep 0.05; n=$((n+1)); done"]}]
`;

/** Reads a stream to its end, and notes how old each line is when it arrives. The shell also shows its commands, which do not count. @param {string} url @param {string} token @param {Agent} agent @param {number[]} ages */
const follow = async (url, token, agent, ages) => {
  const headers = { Authorization: `Bearer ${token}`, Accept: "text/event-stream" };
  const { body } = await request(url, { dispatcher: agent, headers });
  let rest = "";
  body.on("data", (/** @type {Buffer} */ chunk) => {
    const now = Date.now();
    const parts = (rest + chunk).split(/(?:"|\\n)at-(\d{13})-/);
    rest = /** @type {string} */ (parts.at(-1)).slice(-20);
    for (let nth = 1; nth < parts.length; nth += 2) ages.push(now - Number(parts[nth]));
  });
  await once(body, "end");
};

/** @param {import("../growth.mjs").World} world @returns {Promise<import("../growth.mjs").Table>} */
export const growFollowers = async ({ api }) => {
  const rows = [];
  for (const followers of [1, 10, 100, 500]) {
    const agent = new Agent({ connections: followers, bodyTimeout: 0 });
    /** @type {number[]} */
    const ages = [];
    const { output_url } = await api.json("POST", "/builds", { manifest: text });
    const { cpuMs } = await withCpu(() =>
      Promise.all(Array.from({ length: followers }, () => follow(output_url, api.token, agent, ages))),
    );
    await agent.close();
    const missing = followers * lines - ages.length;
    rows.push([followers, quantile(ages, 0.5), quantile(ages, 0.99), missing, sum(cpuMs) / (followers * lines)]);
  }
  return {
    title: "Followers of one output",
    about: `A job prints ${lines} lines, one every 50 ms. The times are from the line's making to each follower's receipt.`,
    columns: ["followers", "p50 ms", "p99 ms", "lines lost", "processor ms for each line and follower"],
    rows,
  };
};
