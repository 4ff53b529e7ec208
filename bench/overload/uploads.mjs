import { repeat } from "./client.mjs";

const loops = 40;
const userCount = 8;
const durationMs = 30_000;
/** The largest object. */
const object = Buffer.alloc(5 * 1024 ** 2, 1);
/** Much more than a process may hold in memory for one upload. */
const imageBytes = 32 * 1024 ** 2;

/** @type {import("../overload.mjs").Scenario} */
export const uploads = {
  name: "uploads",
  title: "40 uploads at once, of objects of 5 MiB and images of 32 MiB",
  async run({ users }, { measure }, scale) {
    const { aDisk } = await import("@ci/testkit/a-disk"); // compiled after this file is loaded
    const image = aDisk({ sizeBytes: imageBytes });
    const all = await users(userCount);
    let next = 0;
    await repeat(Math.ceil(loops * scale), Math.max(durationMs * scale, 5_000), (nth) => {
      const [kind, content] = nth % 4 === 0 ? ["images", image] : ["objects", object];
      const name = `${kind}-${next++}`;
      return measure(`POST /${kind}`, () => all[nth % userCount].send("POST", `/${kind}?name=${name}`, content));
    });
  },
};
