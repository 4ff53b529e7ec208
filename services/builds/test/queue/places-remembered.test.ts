import { examined } from "@ci/testkit/examined";
import { bootBuilds, type clients } from "../_suite.js";
import { database } from "./_crowd.js";

const suite = bootBuilds();
const data = database(suite.names);
const noon = new Date();
let first: ReturnType<typeof clients>;
let second: ReturnType<typeof clients>;

// Both replicas remember places until the clock moves, which it does only when a test moves it.
let later = 0;
const stopped = () => new Date(noon.getTime() + later);

beforeAll(async () => {
  first = await suite.replica(stopped);
  second = await suite.replica(stopped);
});

const { ann, bob } = { ann: () => suite.users.ann, bob: () => suite.users.bob };
const text = "{driver: {type: os}, stages: [s], jobs: [{stage: s, commands: ['true']}]}";
const submitTo = async ({ builds }: typeof first, user = ann()) =>
  (await suite.as(user, () => builds.submitBuild({ manifest: text, comment: "", tags: [] }))).build!;
const placeAt = async ({ builds }: typeof first, { userId, number }: { userId: number; number: number }) =>
  (await suite.as(ann(), () => builds.getBuild({ ref: { userId, number }, brief: true }))).build!.queue?.position;

it("a submission reads the queue once a second, and knows those before it all the same", async () => {
  expect((await submitTo(first)).queue!.position).toBe(1);
  for (const collection of ["line", "builds"]) {
    const queries = await examined(data.db, collection, async () => void (await submitTo(first)));
    expect(queries).toEqual([]);
  }
  expect((await submitTo(first)).queue!.position).toBe(4);
});

it("a replica finds a build that another one stored", async () => {
  expect(await placeAt(second, await submitTo(first))).toBe(5);
  expect(await placeAt(second, await submitTo(first))).toBe(6);
});

it("a build that left the queue counts no longer, at another replica after a second", async () => {
  const last = await submitTo(first);
  expect(await placeAt(first, last)).toBe(7);
  expect(await placeAt(second, last)).toBe(7);
  expect((await first.queue.claimBuild({ runnerId: "r1", drivers: ["os"] })).assignment).toBeDefined();
  expect(await placeAt(first, last)).toBe(6);
  later += 1_001;
  expect(await placeAt(second, last)).toBe(6);
});

it("concurrent submissions of a user join the line with fewer writes than builds", async () => {
  await data.db.dropCollection("system.profile");
  await data.db.command({ profile: 2 });
  await Promise.all(Array.from({ length: 20 }, () => submitTo(first, bob())));
  await data.db.command({ profile: 0 });
  const joins = { ns: `${data.db.databaseName}.line`, op: "update" };
  const count = await data.db.collection("system.profile").countDocuments(joins);
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThan(20);
});
