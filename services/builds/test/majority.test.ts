import { openMongo } from "@ci/kit/mongo/mongo";
import { eventually } from "@ci/testkit/eventually";
import { startMongoPair } from "@ci/testkit/stores";
import type { BuildDoc } from "../src/domain/build.js";
import { type BuildStore, buildStore } from "../src/store/builds.js";
import { ensureAllIndexes } from "../src/store/indexes.js";
import { aBuild } from "./_build.js";

it("the id of a build is remembered by its number only once a majority has the build", async () => {
  await using pair = await startMongoPair();
  await using mongo = await openMongo(pair.mongoUrl, "majority");
  const builds = mongo.db.collection<BuildDoc>("builds");
  const store: BuildStore = buildStore(mongo.db, () => undefined);
  await ensureAllIndexes(mongo.db);
  await store.insert([aBuild()]);
  await pair.second.pause();
  const next = aBuild({ _id: 101, number: 2 });
  await builds.insertOne(next, { writeConcern: { w: 1 } });
  expect(await store.locate(next.userId, 2)).toBeUndefined();
  pair.second.resume();
  await eventually(async () => expect(await store.locate(next.userId, 2)).toMatchObject({ _id: next._id }));
});

it("a repeated request is answered only once a majority has what it finds already done", async () => {
  await using pair = await startMongoPair();
  await using mongo = await openMongo(pair.mongoUrl, "majority");
  const builds = mongo.db.collection<{ _id: number }>("builds");
  const store: BuildStore = buildStore(mongo.db, () => undefined);
  const { _id: id } = aBuild();
  await store.insert([aBuild()]);
  await pair.second.pause();
  // As after the first request, whose answer was lost.
  await builds.updateOne({ _id: id }, { $set: { status: "passed", rev: 2 } }, { writeConcern: { w: 1 } });
  let isAnswered = false;
  const answer = store
    .change(id, () => undefined)
    .finally(() => {
      isAnswered = true;
    });
  const commands = mongo.db.admin();
  await eventually(async () => {
    const { inprog } = await commands.command({ currentOp: 1, ns: /^majority\./ });
    expect(inprog).toContainEqual(expect.objectContaining({ command: expect.objectContaining({ update: "builds" }) }));
  });
  expect(isAnswered).toBe(false);
  pair.second.resume();
  expect(await answer).toMatchObject({ status: "passed", rev: 2 });
});
