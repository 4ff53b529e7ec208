import { setTimeout as pause } from "node:timers/promises";
import { created, repeat } from "./client.mjs";
import { manifestOf } from "./manifests.mjs";

const userCount = 50;
const builds = 10_000;
/** How long users read their queued builds. */
const readMs = 20_000;
const loops = 50;

/** Submits a build and returns how many seconds it took to pass. @param {import("./system.mjs").User} user */
const buildSeconds = async (user) => {
  const from = performance.now();
  const { url } = created(await user.post("/builds", { manifest: manifestOf("true") }));
  for (;;) {
    const { json } = await user.get(url);
    if (json.status === "passed") return (performance.now() - from) / 1_000;
    if (json.finished_at) throw new Error(`The build ended as ${json.status}`);
    await pause(100);
  }
};

/** @type {import("../overload.mjs").Scenario} */
export const queue = {
  name: "queue",
  title: "10,000 queued builds of 50 users",
  async run({ users, user }, { measure }, scale) {
    const [all, late] = [await users(userCount), await user("late")];
    const each = Math.ceil((builds * scale) / userCount);
    const manifest = manifestOf("true");
    const submit = async (/** @type {import("./system.mjs").User} */ one) => {
      for (let nth = 0; nth < each; nth++) await measure("POST /builds", () => one.post("/builds", { manifest }));
    };
    await Promise.all(all.map(submit));
    const reading = repeat(loops, Math.max(readMs * scale, 5_000), async (nth) => {
      await measure("GET /builds", () => all[nth].get("/builds?status=queued"));
      await measure("GET a build", () => all[nth].get(`/b/${all[nth].username}/${each}`));
    });
    const seconds = await buildSeconds(late);
    await reading;
    return `a build of another user passed within ${seconds.toFixed(1)} s`;
  },
};
