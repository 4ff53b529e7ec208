import { openMongo } from "@ci/kit/mongo/mongo";
import { eventually } from "@ci/testkit/eventually";
import { startMongoPair } from "@ci/testkit/stores";
import { type BuildStore, buildStore } from "../src/store/builds.js";
import { aBuild } from "./_build.js";

it("a repeated request is answered only once a majority has what it finds already done", async () => {
  await using pair = await startMongoPair();
  await using mongo = await openMongo(pair.mongoUrl, "majority");
  const builds = mongo.db.collection<{ _id: number }>("builds");
  const store: BuildStore = buildStore(mongo.db, () => undefined);
  const { _id: id } = aBuild();
  await store.insert([aBuild()]);
  pair.second.pause();
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
