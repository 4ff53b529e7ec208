import { eventually } from "@ci/testkit/eventually";
import { MongoNetworkError } from "mongodb";
import { recordQueue } from "../src/loops/record-queue.js";
import { queueStore } from "../src/store/queue/queue.js";
import { queueMinuteStore } from "../src/store/queue/queue-minutes.js";
import { runnerStore } from "../src/store/queue/runners.js";
import { bootBuilds, leaseMs } from "./_suite.js";

const suite = bootBuilds();
const asAdmin = <T>(work: () => Promise<T>) => suite.as(suite.users.ann, work);
const listed = async (number = 1) => asAdmin(() => suite.operators.listRunners({ page: { number } }));

test("a runner is listed with its places, and with the builds that it runs", async () => {
  const claim = { runnerId: "busy", drivers: ["os" as const], places: 3, followsOrder: true };
  await suite.submit(suite.users.ann, "driver: {type: os}\njobs: [{commands: [x]}]\n");
  const { assignment } = await suite.queue.claimBuild(claim);
  expect(assignment).toBeDefined();
  const found = (await listed()).runners.find(({ id }) => id === "busy");
  expect(found).toMatchObject({ drivers: ["os"], places: 3, busy: 1, active: true, seenAt: expect.any(Date) });
  await suite.elapse(2 * leaseMs + 1_000);
  expect((await listed()).runners.find(({ id }) => id === "busy")).toMatchObject({ active: false });
});

test("runners come in pages", async () => {
  for (let nth = 0; nth < 30; nth++)
    await suite.queue.claimBuild({ runnerId: `many-${nth}`, drivers: ["qemu"], followsOrder: true });
  expect(await listed()).toMatchObject({ runners: { length: 25 }, page: { hasNext: true } });
  expect((await listed(2)).runners.length).toBeGreaterThan(4);
  expect(await listed(9)).toMatchObject({ runners: [], page: { lastPage: 2 } });
});

test("the queue has the builds of each driver, and since when the oldest waits", async () => {
  const build = await suite.submit(suite.users.ann, "driver: {type: os}\njobs: [{commands: [x]}]\n");
  const { drivers, oldestSince } = await asAdmin(() => suite.operators.getQueue({ hours: 1 }));
  expect(drivers.find(({ driver }) => driver === "os")!.queued).toBeGreaterThan(0);
  expect(oldestSince!.getTime()).toBeLessThanOrEqual(build.createdAt!.getTime());
});

describe("the history", () => {
  const sources = (now: Date) => ({
    queue: queueStore(suite.database()),
    runners: runnerStore(suite.database(), 1),
    queueMinutes: queueMinuteStore(suite.database()),
    config: { leaseMs: 15_000 } as never,
    now: () => now,
  });
  const history = async (hours: number) => (await asAdmin(() => suite.operators.getQueue({ hours }))).history;
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const minute = (nth: number) => new Date(hour - nth * 60_000);

  test("has one document a minute, whichever replica writes it, and sums up what has happened", async () => {
    const replicas = [sources(minute(40)), sources(minute(40))];
    const ms = (from: number) => new Date(minute(40).getTime() + from);
    const queued = { status: "queued", createdAt: ms(0) } as never;
    const running = { status: "running", createdAt: ms(0), startedAt: ms(2_000) } as never;
    const passed = { status: "passed", startedAt: ms(2_000), finishedAt: ms(8_000) } as never;
    for (const { queueMinutes } of replicas) {
      queueMinutes.changed(queued, running);
      queueMinutes.changed(running, passed);
    }
    for (const replica of replicas) await recordQueue(replica);
    const found = (await history(2)).find(({ at }) => at!.getTime() === minute(40).getTime());
    expect(found).toMatchObject({ started: 2, waitedMs: 4_000, finished: 2, ranMs: 12_000 });
    expect(found!.queued).toBeGreaterThan(0);
    for (const replica of replicas) await recordQueue(replica);
    expect((await history(2)).find(({ at }) => at!.getTime() === minute(40).getTime())).toEqual(found);
    expect(
      await suite
        .database()
        .collection("queueMinutes")
        .countDocuments({ at: minute(40) }),
    ).toBe(1);
  });

  test("counts once what MongoDB stored without a reply", async () => {
    const db = suite.database();
    const minutes = db.collection("queueMinutes");
    let isAway = true;
    const updateOne: typeof minutes.updateOne = async (...how) => {
      const done = await minutes.updateOne(...how);
      if (isAway) throw new MongoNetworkError("connection closed");
      return done;
    };
    const queueMinutes = queueMinuteStore({ collection: () => ({ updateOne }) } as never);
    const replica = { ...sources(minute(50)), queueMinutes };
    const [createdAt, startedAt] = [minute(50), minute(49)];
    queueMinutes.changed({ status: "queued" } as never, { status: "running", createdAt, startedAt } as never);
    await expect(recordQueue(replica)).rejects.toThrow("connection closed");
    isAway = false;
    await recordQueue(replica);
    const found = (await history(2)).find(({ at }) => at!.getTime() === minute(50).getTime());
    expect(found).toMatchObject({ started: 1, waitedMs: 60_000 });
  });

  test("joins minutes to periods, and leaves out what is older", async () => {
    for (const nth of [301, 302, 303, 26 * 60]) await recordQueue(sources(minute(nth)));
    expect((await history(3)).every(({ at }) => at!.getTime() > Date.now() - 4 * 3_600_000)).toBe(true);
    const periods = await history(24);
    expect(periods.length).toBeLessThanOrEqual(61);
    expect(periods.every(({ at }) => at!.getTime() % (24 * 60_000) === 0)).toBe(true);
  });

  test("is recorded each minute, beginning with the start of the service", () =>
    eventually(async () => expect((await history(1)).length).toBeGreaterThan(0)));
});
