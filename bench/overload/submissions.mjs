import { repeat } from "./client.mjs";
import { queuedManifest } from "./manifests.mjs";

const connections = 200;
const userCount = 10;
const durationMs = 60_000;

/** @type {import("../overload.mjs").Scenario} */
export const submissions = {
  name: "submissions",
  title: "200 connections submit builds for 60 s",
  async run({ users }, { measure }, scale) {
    const all = await users(userCount);
    const submit = (/** @type {number} */ nth) =>
      measure("POST /builds", () => all[nth % userCount].post("/builds", { manifest: queuedManifest }));
    await repeat(connections, Math.max(durationMs * scale, 5_000), submit);
  },
};
