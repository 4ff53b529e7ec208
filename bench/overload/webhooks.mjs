import { setTimeout as pause } from "node:timers/promises";
import { created } from "./client.mjs";
import { manifestOf } from "./manifests.mjs";
import { startReceiver } from "./receivers.mjs";

/** The most webhooks that one user may have. */
const count = 1_000;
const builds = 5;
const maxWaitMs = 300_000;
const events = ["build.submitted"];

/** @type {import("../overload.mjs").Scenario} */
export const webhooks = {
  name: "webhooks",
  title: "1,000 webhooks in one namespace",
  async run({ user }, { measure, took, fail }, scale) {
    const owner = await user("owner");
    let left = 0;
    const receiver = await startReceiver((_path, { created_at: at }) => {
      left--;
      took("a delivery", Date.now() - Date.parse(at));
    });
    try {
      created(await owner.post("/namespaces", { name: "n" }));
      const number = Math.ceil(count * scale);
      for (let nth = 0; nth < number; nth++) {
        const fields = { payload_url: `${receiver.url}/${nth}`, events };
        created(await owner.post(`/n/${owner.username}/n/-/webhooks`, fields));
      }
      const manifest = JSON.stringify({ namespace: "n", ...JSON.parse(manifestOf("true")) });
      left = number * builds;
      for (let nth = 0; nth < builds; nth++) await measure("POST /builds", () => owner.post("/builds", { manifest }));
      for (const since = performance.now(); left > 0 && performance.now() - since < maxWaitMs; ) await pause(100);
      if (left > 0) fail(`${left} deliveries were not sent`);
    } finally {
      receiver.close();
    }
    return "p99 from the event to the delivery";
  },
};
