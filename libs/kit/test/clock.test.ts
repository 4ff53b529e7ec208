import { databaseClock } from "@ci/kit/mongo/clock";
import { openMongo } from "@ci/kit/mongo/mongo";
import { eventually } from "@ci/testkit/eventually";
import { suite } from "@ci/testkit/suite";

const names = suite();
let mongo: Awaited<ReturnType<typeof openMongo>>;
beforeAll(async () => {
  mongo = await openMongo(names.mongoUrl, names.mongoDb);
});
afterAll(() => mongo[Symbol.asyncDispose]());

/** Returns the database's time before and after some work, and the work's result. */
async function betweenReadings<T>(work: () => T): Promise<[Date, T, Date]> {
  const read = async (): Promise<Date> => (await mongo.db.command({ hello: 1 })).localTime;
  const before = await read();
  const result = work();
  return [before, result, await read()];
}

/** A busy machine may cause this error. */
const toleranceMs = 5_000;

it.each([-86_400_000, -20_000, 20_000, 86_400_000])(
  "the clock corrects a machine that is %i ms off from the database",
  async (offMs) => {
    const clock = await databaseClock(mongo.db, () => Date.now() + offMs);
    const [before, now, after] = await betweenReadings(() => clock.now());
    expect(now.getTime()).toBeGreaterThan(before.getTime() - toleranceMs);
    expect(now.getTime()).toBeLessThan(after.getTime() + toleranceMs);
  },
);

it("the clock corrects nothing if the machine may be right", async () => {
  const clock = await databaseClock(mongo.db, Date.now);
  const before = Date.now();
  const now = clock.now().getTime();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

it("a step of the machine's clock does not change the time", async () => {
  const { now: machineTime } = Date;
  let stepMs = 0;
  Date.now = () => machineTime() + stepMs;
  try {
    const clock = await databaseClock(mongo.db);
    const before = clock.now().getTime();
    stepMs = 86_400_000;
    expect(clock.now().getTime() - before).toBeLessThan(stepMs);
  } finally {
    Date.now = machineTime;
  }
});

it("compare corrects a change of the machine's clock", async () => {
  let offMs = 0;
  const clock = await databaseClock(mongo.db, () => Date.now() + offMs);
  const before = clock.steps();
  await clock.compare();
  expect(clock.steps()).toBe(before);
  offMs = 3_600_000;
  await clock.compare();
  expect(clock.steps()).toBeGreaterThan(before);
  const [, now, after] = await betweenReadings(() => clock.now());
  expect(now.getTime()).toBeLessThan(after.getTime() + toleranceMs);
});

it("a heartbeat of the driver corrects a change of the machine's clock", async () => {
  let offMs = 0;
  const clock = await databaseClock(mongo.db, () => Date.now() + offMs);
  offMs = 3_600_000;
  await eventually(async () => {
    const [, now, after] = await betweenReadings(() => clock.now());
    expect(now.getTime()).toBeLessThan(after.getTime() + toleranceMs);
  });
});
