import { setTimeout as pause } from "node:timers/promises";
import { created } from "./client.mjs";
import { manifestOf } from "./manifests.mjs";

const count = 2_000;
const userCount = 4;
const lines = 20;

/**
 * Opens the output when it is the user's turn.
 * @param {import("./system.mjs").User} user
 * @param {string} url of the output
 */
const open = async (user, url) => {
  for (;;) {
    const response = await user.open("GET", url, undefined, { Accept: "text/event-stream" });
    if (response.statusCode !== 429) return response;
    await response.body.dump();
    await pause(1_000);
  }
};

/**
 * Follows a build to its end, and measures the delay of each line.
 * @param {import("./system.mjs").User} user
 * @param {string} url of the output
 * @param {import("./meter.mjs").Meter} meter
 */
const follow = async (user, url, { took, fail }) => {
  const { statusCode, body } = await open(user, url);
  if (statusCode !== 200) return fail(`a follower got ${statusCode}`);
  const from = Date.now();
  let end = "";
  for await (const chunk of body) {
    const now = Date.now();
    for (const [, at] of String(chunk).matchAll(/now=(\d{13})/g))
      if (Number(at) > from) took("a line", now - Number(at));
    end = (end + chunk).slice(-1_000);
  }
  if (!end.includes('"status":"passed"')) fail("a follower did not see the end");
};

/** @type {import("../overload.mjs").Scenario} */
export const followers = {
  name: "followers",
  title: "2,000 followers of one build",
  async run({ users }, meter, scale) {
    const all = await users(userCount);
    const [owner] = all;
    created(await owner.post("/namespaces", { name: "open", visibility: "public" }));
    const command = `sleep 10; for i in $(seq ${lines}); do echo "now=$(date +%s%3N)"; sleep 1; done`;
    const manifest = JSON.stringify({ namespace: "open", ...JSON.parse(manifestOf(command)) });
    const { output_url: url } = created(await owner.post("/builds", { manifest }));
    const number = Math.ceil(count * scale);
    await Promise.all(Array.from({ length: number }, (_, nth) => follow(all[nth % userCount], url, meter)));
    return "p99 of the lines' delay";
  },
};
