import { setTimeout as pause } from "node:timers/promises";
import { created } from "./client.mjs";
import { manifestOf } from "./manifests.mjs";

/** Each below OUTPUT_LIMIT, together 200 MB. */
const jobs = 20;
const jobBytes = 10_000_000;

/** @type {import("../overload.mjs").Scenario} */
export const output = {
  name: "output",
  title: "200 MB of output",
  async run({ user }, { measure, fail }, scale) {
    const owner = await user("owner");
    const print = `head -c ${jobBytes} /dev/zero | tr '\\0' x | fold -w 99`;
    const commands = Array.from({ length: Math.ceil(jobs * scale) }, () => print);
    const from = performance.now();
    const build = created(await owner.post("/builds", { manifest: manifestOf(...commands) }));
    let { status } = build;
    for (let seen = build; !seen.finished_at; await pause(200)) {
      const response = await measure("GET a build", () => owner.get(build.url));
      if (response) seen = response.json;
      ({ status } = seen);
    }
    if (status !== "passed") fail(`the build ended as ${status}`);
    return `it took ${Math.round((performance.now() - from) / 1_000)} s`;
  },
};
