import { openMongo } from "@ci/kit/mongo/mongo";
import { suite } from "@ci/testkit/suite";
import type { BuildDoc } from "../../src/domain/build.js";
import { groupBuilds } from "../../src/store/group-builds.js";
import { ensureAllIndexes } from "../../src/store/indexes.js";
import { aBuild, after } from "../_build.js";

const names = suite();

it("the build that was submitted last kills the others, even if another replica gave it a lower id", async () => {
  await using mongo = await openMongo(names.mongoUrl, names.mongoDb);
  await ensureAllIndexes(mongo.db);
  const builds = mongo.db.collection<BuildDoc>("builds");
  const build = (_id: number, ms: number, more: Partial<BuildDoc> = {}) =>
    aBuild({ _id, number: _id, createdAt: after(ms), concurrency: { key: "k", cancel: "running" }, ...more });
  const matrix = { size: 2, id: 3_001 };
  await builds.insertMany([
    build(5_001, 0),
    build(1, 10),
    build(3_001, 20, { group: { ...matrix, index: 0 } }),
    build(3_002, 20, { group: { ...matrix, index: 1 } }),
    build(9, 20),
  ]);
  const store = groupBuilds(builds);
  const killer = (await store.killerIn("k", "running"))!;
  expect(killer._id).toBe(3_002);
  expect(await store.olderIn("k", killer, ["queued", "running"], 10)).toEqual([5_001, 1, 9]);
});
