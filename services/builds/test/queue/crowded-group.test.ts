import { eventually } from "@ci/testkit/eventually";
import { bootBuilds, manifest } from "../_suite.js";
import { crowd, database, storedBuild } from "./_crowd.js";

const suite = bootBuilds();
const data = database(suite.names);

const inGroup = (group: string, more = "") => `concurrency: {group: ${group}${more}}${manifest}`;
const queuedIn = (key: string) =>
  data.db.collection("builds").countDocuments({ status: "queued", "concurrency.key": key });

/** Queues many builds of a group. Returns the group's key. */
async function crowdIn(group: string): Promise<string> {
  const first = await storedBuild(data.db, (await suite.submit(suite.users.ann, inGroup(group))).id);
  await crowd(data.db, first, 110);
  suite.advanceClock(1);
  return first.concurrency!.key;
}

it("a submission kills the many builds that it replaces, without a claim", async () => {
  const key = await crowdIn("left");
  const newest = await suite.submit(suite.users.ann, inGroup("left", ", cancel: queued"));
  await eventually(async () => expect(await queuedIn(key)).toBe(1));
  expect((await suite.claim())?.buildId).toBe(newest.id);
});

it("builds of others do not wait until a claim has killed the many builds that a newer one replaces", async () => {
  const key = await crowdIn("died");
  const newest = await suite.submit(suite.users.ann, inGroup("died"));
  await suite.change(newest.id, { $set: { "concurrency.cancel": "queued" }, $inc: { rev: 1 } });
  const other = await suite.submit(suite.users.bob);
  expect((await suite.claim())?.buildId).toBe(other.id);
  await eventually(async () => expect(await queuedIn(key)).toBe(1));
  await eventually(async () => expect((await suite.claim())?.buildId).toBe(newest.id));
});
