import { suite } from "@ci/testkit/suite";
import { deletionsIn, type Parent } from "../src/mongo/deletions.js";
import { openMongo } from "../src/mongo/mongo.js";

const { mongoUrl, mongoDb } = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
let laterMs: number;
let cleared: Parent[];
let failing: number[];

beforeAll(async () => {
  mongo = await openMongo(mongoUrl, mongoDb);
});
afterAll(() => mongo[Symbol.asyncDispose]());
beforeEach(async () => {
  [laterMs, cleared, failing] = [0, [], []];
  await mongo.db.collection("deletions").deleteMany({ _id: { $exists: true } });
});

async function process() {
  const clear = async (parent: Parent) => {
    if (failing.includes(parent.id)) throw new Error(`${parent.id} cannot be cleared`);
    cleared.push(parent);
  };
  const deletions = deletionsIn(mongo.db, clear, () => new Date(Date.now() + laterMs));
  await deletions.ensureIndexes();
  return deletions;
}
const user = (id: number): Parent => ({ kind: "user", id });
const namespace = (id: number): Parent => ({ kind: "namespace", id });

it("clears when a deletion is heard of, also for the second time", async () => {
  const deletions = await process();
  await deletions.deleted(namespace(1));
  await Promise.all([deletions.deleted(namespace(1)), deletions.deleted(namespace(1))]);
  expect(cleared).toEqual([namespace(1), namespace(1), namespace(1)]);
});

it("clears again below what was deleted by the time a record was stored", async () => {
  const deletions = await process();
  await (await process()).record([namespace(1), user(2)]);
  deletions.created({ userId: 2, namespaceId: 3 });
  deletions.created({ userId: 1, namespaceId: 2 });
  deletions.created({ userId: 2 });
  expect(await deletions.look()).toBe(1);
  expect(cleared).toEqual([user(2)]);
  expect(await deletions.look()).toBe(0);
});

it("looks below thousands at once", async () => {
  const deletions = await process();
  await deletions.record([user(2_500)]);
  for (let id = 1; id <= 2_500; id++) deletions.created({ userId: id, namespaceId: id });
  expect(await deletions.look()).toBe(1);
  expect(cleared).toEqual([user(2_500)]);
});

it("looks again when a look has failed, and does what can be done", async () => {
  const deletions = await process();
  await deletions.record([user(1), user(2)]);
  for (const id of [1, 2]) deletions.created({ userId: id });
  failing = [1];
  await expect(deletions.look()).rejects.toThrow("1 cannot be cleared");
  expect(cleared).toEqual([user(2)]);
  failing = [];
  await deletions.look();
  expect(cleared).toEqual(expect.arrayContaining([user(1), user(2)]));
});

it("sweeps at intervals that double, without end", async () => {
  const deletions = await process();
  await deletions.record([namespace(1)]);
  const sweptAt: number[] = [];
  for (laterMs = 0; laterMs < 1_000_000; laterMs += 1_000) if ((await deletions.sweep()) > 0) sweptAt.push(laterMs);
  expect(sweptAt.length).toBeGreaterThanOrEqual(6);
  expect(sweptAt.length).toBeLessThanOrEqual(8);
  for (const [nth, ms] of sweptAt.entries())
    expect(ms).toBeGreaterThanOrEqual(nth === 0 ? 9_000 : 1.9 * sweptAt[nth - 1]!);
  laterMs = 100 * 365 * 86_400_000;
  expect(await deletions.sweep()).toBe(1);
  expect(cleared).toHaveLength(sweptAt.length + 1);
});

it("goes on with other deletions when one cannot be cleared", async () => {
  const deletions = await process();
  await deletions.record([user(1), user(2)]);
  laterMs = 11_000;
  failing = [1];
  await expect(deletions.sweep()).rejects.toThrow("1 cannot be cleared");
  await expect(deletions.sweep()).rejects.toThrow("1 cannot be cleared");
  expect(cleared).toEqual([user(2)]);
  failing = [];
  expect(await deletions.sweep()).toBe(1);
});
