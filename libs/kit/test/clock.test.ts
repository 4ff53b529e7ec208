import { databaseClock } from "@ci/kit/mongo/clock";
import { openMongo } from "@ci/kit/mongo/mongo";
import { suite } from "@ci/testkit/suite";

const names = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
});
afterAll(() => mongo[Symbol.asyncDispose]());

/** The time of the database before and after some work. */
async function around<T>(work: () => T): Promise<[Date, T, Date]> {
  const read = async (): Promise<Date> => (await mongo.db.command({ hello: 1 })).localTime;
  const before = await read();
  const done = work();
  return [before, done, await read()];
}

/** What a comparison on a busy machine may leave. */
const toleranceMs = 5_000;

it.each([-86_400_000, -20_000, 20_000, 86_400_000])(
  "follows the database's clock from one that is %i ms off",
  async (offMs) => {
    const clock = await databaseClock(mongo.db, () => Date.now() + offMs);
    const [before, now, after] = await around(() => clock.now());
    expect(now.getTime()).toBeGreaterThan(before.getTime() - toleranceMs);
    expect(now.getTime()).toBeLessThan(after.getTime() + toleranceMs);
  },
);

it("leaves a clock as it is that may be right", async () => {
  const clock = await databaseClock(mongo.db);
  const before = Date.now();
  const now = clock.now().getTime();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

it("notices at the next comparison that the machine's clock was set", async () => {
  let offMs = 0;
  const clock = await databaseClock(mongo.db, () => Date.now() + offMs);
  offMs = 3_600_000;
  await clock.compare();
  const [, now, after] = await around(() => clock.now());
  expect(now.getTime()).toBeLessThan(after.getTime() + toleranceMs);
});
