import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";
import { leaseOf } from "../src/mongo/lease.js";
import { openMongo } from "../src/mongo/mongo.js";

const names = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
});
afterAll(() => mongo[Symbol.asyncDispose]());

const longMs = 3_600_000;

it("one process has a lease until it releases it", async () => {
  const [first, second] = [leaseOf(mongo.db, "one"), leaseOf(mongo.db, "one")];
  expect(first.term()).toBeUndefined();
  expect([await first.take(longMs), await second.take(longMs)]).toEqual([true, false]);
  expect([first.term(), second.term()]).toEqual([1, undefined]);
  await second.release();
  expect(await second.take(longMs)).toBe(false);
  await first.release();
  expect(first.term()).toBeUndefined();
  expect(await second.take(longMs)).toBe(true);
});

it("a renewal continues the term, and a lapse ends it, though nobody else took the lease", async () => {
  const lease = leaseOf(mongo.db, "lapse");
  await lease.take(longMs);
  await lease.take(longMs);
  expect(lease.term()).toBe(1);
  await lease.take(1_010);
  await eventually(() => expect(lease.term()).toBeUndefined());
  await lease.take(longMs);
  expect(lease.term()).toBeGreaterThan(1);
});

it("a holder does not trust the last second of its lease", async () => {
  const lease = leaseOf(mongo.db, "margin");
  expect(await lease.take(1_000)).toBe(true);
  expect(lease.term()).toBeUndefined();
});

it("a lease of a dead process ends although the clock of MongoDB was set back", async () => {
  const [dead, other] = [leaseOf(mongo.db, "back"), leaseOf(mongo.db, "back")];
  const forMs = 60_000;
  await dead.take(longMs + forMs);
  expect(await other.take(forMs)).toBe(true);
});

it("after a release and a renewal that overlap, exactly one process can hold the lease", async () => {
  const [first, second] = [leaseOf(mongo.db, "overlap"), leaseOf(mongo.db, "overlap")];
  for (let round = 0; round < 20; round++) {
    await first.take(longMs);
    const calls = [() => first.take(longMs), () => first.release()];
    await Promise.all((round % 2 === 0 ? calls : calls.reverse()).map((call) => call()));
    const heldBySecond = await second.take(longMs);
    expect([first.term() !== undefined, heldBySecond]).toEqual([!heldBySecond, heldBySecond]);
    await Promise.all([first.release(), second.release()]);
  }
});
