import { gate } from "@ci/testkit/gate";
import { suite } from "@ci/testkit/suite";
import { deletionsIn, type Parent, tendDeletions } from "../src/mongo/deletions.js";
import { openMongo } from "../src/mongo/mongo.js";

const { mongoUrl, mongoDb } = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
/** The clock stands still, except for what a test adds. */
let [startedMs, laterMs] = [0, 0];
let clearedParents: Parent[];
let failingIds: number[];
/** How many more turns a parent needs. */
let turnsOf: Map<number, number>;

beforeAll(async () => {
  mongo = await openMongo(mongoUrl, mongoDb);
});
afterAll(() => mongo[Symbol.asyncDispose]());
beforeEach(async () => {
  [startedMs, laterMs, clearedParents, failingIds, turnsOf] = [Date.now(), 0, [], [], new Map()];
  await mongo.db.collection("deletions").deleteMany({ _id: { $exists: true } });
});

async function startDeletions() {
  const clear = async (parent: Parent) => {
    if (failingIds.includes(parent.id)) throw new Error(`${parent.id} cannot be cleared`);
    clearedParents.push(parent);
    const left = turnsOf.get(parent.id) ?? 0;
    turnsOf.set(parent.id, left - 1);
    return left > 0 ? "more" : undefined;
  };
  const deletions = deletionsIn(mongo.db, clear, () => new Date(startedMs + laterMs));
  await deletions.ensureIndexes();
  return deletions;
}
const user = (id: number): Parent => ({ kind: "user", id });
const namespace = (id: number): Parent => ({ kind: "namespace", id });

it("every report of a deletion has the parent's records cleared by the next sweep", async () => {
  const deletions = await startDeletions();
  await deletions.deleted([namespace(1)]);
  await deletions.sweep();
  await Promise.all([deletions.deleted([namespace(1)]), deletions.deleted([namespace(1)])]);
  await deletions.sweep();
  expect(clearedParents).toEqual([namespace(1), namespace(1)]);
});

it("look has records cleared that were created below a deleted parent", async () => {
  const deletions = await startDeletions();
  await (await startDeletions()).record([namespace(1), user(2)]);
  deletions.created({ userId: 2, namespaceId: 3 });
  deletions.created({ userId: 1, namespaceId: 2 });
  deletions.created({ userId: 2 });
  expect(await deletions.look()).toBe(1);
  expect(await deletions.sweep()).toBe(1);
  expect(clearedParents).toEqual([user(2)]);
  expect(await deletions.look()).toBe(0);
});

it("look checks thousands of parents in one call", async () => {
  const deletions = await startDeletions();
  await deletions.record([user(2_500)]);
  for (let id = 1; id <= 2_500; id++) deletions.created({ userId: id, namespaceId: id });
  expect(await deletions.look()).toBe(1);
  await deletions.sweep();
  expect(clearedParents).toEqual([user(2_500)]);
});

it("sweep clears a deleted parent again at intervals that double", async () => {
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

it("sweep clears a deleted parent again within a month, however often it was cleared", async () => {
  const deletions = await startDeletions();
  for (let times = 0; times < 60; times++) {
    await deletions.deleted([namespace(1)]);
    await deletions.sweep();
  }
  expect(await deletions.sweep()).toBe(0);
  laterMs = 31 * 86_400_000;
  expect(await deletions.sweep()).toBe(1);
});

it("sweep clears the other parents if one fails, and retries that one", async () => {
  const deletions = await startDeletions();
  await deletions.record([user(1), user(2)]);
  laterMs = 11_000;
  failingIds = [1];
  await expect(deletions.sweep()).rejects.toThrow("1 cannot be cleared");
  expect(clearedParents).toEqual([user(2)]);
  laterMs += 4_500;
  await expect(deletions.sweep()).rejects.toThrow("1 cannot be cleared");
  laterMs += 4_500;
  failingIds = [];
  expect(await deletions.sweep()).toBe(1);
});

it("a sweep clears deleted users before namespaces that were deleted earlier", async () => {
  const deletions = await startDeletions();
  await deletions.deleted(Array.from({ length: 30 }, (_, n) => namespace(n)));
  laterMs = 1_000;
  await deletions.deleted([user(99)]);
  await deletions.sweep();
  expect(clearedParents[0]).toEqual(user(99));
});

it("a sweep clears new deletions before it repeats those that are overdue, however many", async () => {
  const deletions = await startDeletions();
  await deletions.record(Array.from({ length: 60 }, (_, n) => (n < 30 ? namespace(n) : user(n))));
  laterMs = 3_600_000;
  await deletions.deleted([namespace(99), user(98)]);
  await deletions.sweep();
  expect(clearedParents.slice(0, 4)).toEqual(expect.arrayContaining([user(98), namespace(99)]));
});

it("a deletion that needs many turns holds up neither others nor a stop of the process", async () => {
  const deletions = await startDeletions();
  turnsOf.set(1, 1_000);
  await deletions.deleted([namespace(1)]);
  laterMs = 1_000;
  await deletions.deleted([namespace(2), namespace(3)]);
  expect(await deletions.sweep()).toBeLessThan(25);
  expect(clearedParents).toEqual(expect.arrayContaining([namespace(2), namespace(3)]));
  turnsOf.set(1, 0);
  expect(await deletions.sweep()).toBe(1);
  expect(await deletions.sweep()).toBe(0);
});

it("a sweep clears several deletions at once, also while one of them hangs", async () => {
  const stall = gate();
  const deletions = deletionsIn(
    mongo.db,
    async ({ id }) => {
      if (id === 1) await stall.pass();
      else if (id === 9) stall.open();
    },
    () => new Date(),
  );
  await deletions.deleted([1, 2, 3, 9].map(user));
  expect(await deletions.sweep()).toBe(4);
});

it("a deletion whose process died while clearing it is cleared by another", async () => {
  const stall = gate();
  const never = deletionsIn(
    mongo.db,
    () => stall.pass(),
    () => new Date(startedMs),
  );
  const deletions = await startDeletions();
  await deletions.deleted([user(1)]);
  void never.sweep();
  await stall.reached;
  expect(await deletions.sweep()).toBe(0);
  laterMs = 61_000;
  expect(await deletions.sweep()).toBe(1);
});

it("missing returns the parents whose deletion is not recorded", async () => {
  const deletions = await startDeletions();
  await deletions.record([user(1), namespace(2)]);
  expect(await deletions.missing([user(1), user(2), namespace(1), namespace(2)])).toEqual([user(2), namespace(1)]);
  expect(await deletions.missing([])).toEqual([]);
});

it("the loops rest until there is a new record or a deletion", async () => {
  const deletions = await startDeletions();
  const stirred: string[] = [];
  const woken: string[] = [];
  const loop = (name: string) => ({ wake: () => void woken.push(name), stir: () => void stirred.push(name) });
  tendDeletions({ loop }, deletions);
  expect(stirred).toEqual([]);
  deletions.created({ namespaceId: 1 });
  expect(stirred).toEqual(["look-below-deleted"]);
  await deletions.deleted([namespace(1)]);
  expect(woken).toEqual(["sweep-below-deleted"]);
});
