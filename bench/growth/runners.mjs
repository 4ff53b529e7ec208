import { keySettings } from "../../deploy/local/start/service-keys.mjs";
import { clientOf } from "../all/client.mjs";
import { start } from "../processes.mjs";
import { manifest } from "../trivial-build.mjs";
import { greatest, sum, withCpu } from "./cost.mjs";

const builds = 600;
const text = manifest("  type: docker\n  image: none\n  workspace: /w");

/** @param {import("../growth.mjs").World} world @returns {Promise<import("../growth.mjs").Table>} */
export const growRunners = async ({ url, api, buildsAddress, natsUrl, serviceKeys }) => {
  Object.assign(process.env, keySettings(serviceKeys)("runner"));
  const simulated = await start("growth/simulated-runners.mjs", [buildsAddress, natsUrl]);
  const client = clientOf(url, api.token);
  const rows = [];
  for (const runners of [1, 2, 5, 10, 20, 50]) {
    let left = builds;
    const submit = async () => {
      while (left-- > 0) await client.send("POST", "/builds", { manifest: text });
    };
    await Promise.all(Array.from({ length: 16 }, submit));
    const { result, cpuMs } = await withCpu(async () => {
      simulated.child.send({ runners, builds });
      return (await simulated.next()).seconds;
    });
    rows.push([runners, (builds * 60) / result, sum(cpuMs) / builds, greatest(cpuMs, builds)]);
  }
  await client.close();
  simulated.child.disconnect();
  return {
    title: "Runners",
    about:
      `Simulated runners, which claim a queued build, report its job as passed and claim the next, until ${builds} builds are done: what the ` +
      "queue can do. Real runners also take the time of their jobs.",
    columns: ["runners", "builds a minute", "processor ms for each build", "most in"],
    rows,
  };
};
