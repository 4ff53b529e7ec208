import { suite } from "@ci/testkit/suite";
import { deletionsIn, type Parent, tendDeletions } from "../src/mongo/deletions.js";
import { openMongo } from "../src/mongo/mongo.js";

const { mongoUrl, mongoDb } = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
let laterMs: number;
let clearedParents: Parent[];
let failingIds: number[];

beforeAll(async () => {
  mongo = await openMongo(mongoUrl, mongoDb);
});
afterAll(() => mongo[Symbol.asyncDispose]());
beforeEach(async () => {
  [laterMs, clearedParents, failingIds] = [0, [], []];
  await mongo.db.collection("deletions").deleteMany({ _id: { $exists: true } });
});

async function startDeletions() {
  const clear = async (parent: Parent) => {
    if (failingIds.includes(parent.id)) throw new Error(`${parent.id} cannot be cleared`);
    clearedParents.push(parent);
  };
  const deletions = deletionsIn(mongo.db, clear, () => new Date(Date.now() + laterMs));
  await deletions.ensureIndexes();
  return deletions;
}
const user = (id: number): Parent => ({ kind: "user", id });
const namespace = (id: number): Parent => ({ kind: "namespace", id });

it("deleted clears the parent's records on every report of the same deletion", async () => {
  const deletions = await startDeletions();
  await deletions.deleted(namespace(1));
  await Promise.all([deletions.deleted(namespace(1)), deletions.deleted(namespace(1))]);
  expect(clearedParents).toEqual([namespace(1), namespace(1), namespace(1)]);
});

it("look clears records that were created below a deleted parent", async () => {
  const deletions = await startDeletions();
  await (await startDeletions()).record([namespace(1), user(2)]);
  deletions.created({ userId: 2, namespaceId: 3 });
  deletions.created({ userId: 1, namespaceId: 2 });
  deletions.created({ userId: 2 });
  expect(await deletions.look()).toBe(1);
  expect(clearedParents).toEqual([user(2)]);
  expect(await deletions.look()).toBe(0);
});

it("look checks thousands of parents in one call", async () => {
  const deletions = await startDeletions();
  await deletions.record([user(2_500)]);
  for (let id = 1; id <= 2_500; id++) deletions.created({ userId: id, namespaceId: id });
  expect(await deletions.look()).toBe(1);
  expect(clearedParents).toEqual([user(2_500)]);
});

it("look clears the other parents if one fails, and retries that one in the next call", async () => {
  const deletions = await startDeletions();
  await deletions.record([user(1), user(2)]);
  for (const id of [1, 2]) deletions.created({ userId: id });
  failingIds = [1];
  await expect(deletions.look()).rejects.toThrow("1 cannot be cleared");
  expect(clearedParents).toEqual([user(2)]);
  failingIds = [];
  await deletions.look();
  expect(clearedParents).toEqual(expect.arrayContaining([user(1), user(2)]));
});

it("sweep clears a deleted parent again at intervals that double forever", async () => {
  const deletions = await startDeletions();
  await deletions.record([namespace(1)]);
  const sweptAt: number[] = [];
  for (laterMs = 0; laterMs < 1_000_000; laterMs += 1_000) if ((await deletions.sweep()) > 0) sweptAt.push(laterMs);
  expect(sweptAt.length).toBeGreaterThanOrEqual(6);
  expect(sweptAt.length).toBeLessThanOrEqual(8);
  for (const [nth, ms] of sweptAt.entries())
    expect(ms).toBeGreaterThanOrEqual(nth === 0 ? 9_000 : 1.9 * sweptAt[nth - 1]!);
  laterMs = 100 * 365 * 86_400_000;
  expect(await deletions.sweep()).toBe(1);
  expect(clearedParents).toHaveLength(sweptAt.length + 1);
});

it("sweep clears the other parents if one fails, and retries that one", async () => {
  const deletions = await startDeletions();
  await deletions.record([user(1), user(2)]);
  laterMs = 11_000;
  failingIds = [1];
  await expect(deletions.sweep()).rejects.toThrow("1 cannot be cleared");
  await expect(deletions.sweep()).rejects.toThrow("1 cannot be cleared");
  expect(clearedParents).toEqual([user(2)]);
  failingIds = [];
  expect(await deletions.sweep()).toBe(1);
});

it("the loop that checks parents rests until there is a new record", async () => {
  const deletions = await startDeletions();
  const stirred: string[] = [];
  tendDeletions({ loop: (name) => ({ wake() {}, stir: () => void stirred.push(name) }) }, deletions);
  expect(stirred).toEqual([]);
  deletions.created({ namespaceId: 1 });
  expect(stirred).toEqual(["look-below-deleted"]);
});
