import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import { laneScheduler, type Turn } from "./lane-scheduler.js";

const log = createLog("webhooks", "silent");
const tick = () => new Promise(setImmediate);
const ofOne = (_id: number) => ({ _id, userId: 1 });
const ofAnother = (_id: number) => ({ _id, userId: 2 });
const upTo = (last: number) => Array.from({ length: last }, (_, nth) => nth + 1);

/** Returns a scheduler whose runs last until the test ends them. */
function manualScheduler(slots: number) {
  const runs: { id: number; turn: Turn; end(nextInMs?: number): Promise<void>; fail(): Promise<void> }[] = [];
  const scheduler = laneScheduler(
    slots,
    log,
    (turn) =>
      new Promise((resolve, reject) => {
        const end = async (nextInMs?: number) => {
          resolve(nextInMs);
          await tick();
        };
        const fail = async () => {
          reject(new Error("no database"));
          await tick();
        };
        runs.push({ id: turn.webhook._id, turn, end, fail });
      }),
  );
  return { scheduler, runs, ids: () => runs.map(({ id }) => id) };
}

test("a webhook has one run at a time, and one more if it was woken meanwhile", async () => {
  const { scheduler, runs, ids } = manualScheduler(4);
  for (const id of [1, 2, 1, 1]) scheduler.wake(ofOne(id), "news");
  expect(ids()).toEqual([1, 2]);
  await runs[0]!.end();
  expect(ids()).toEqual([1, 2, 1]);
  await runs[2]!.end();
  expect(ids()).toEqual([1, 2, 1]);
});

test("an interruption aborts running turns, but none that begins later", async () => {
  const { scheduler, runs } = manualScheduler(4);
  scheduler.wake(ofOne(1), "news");
  scheduler.interrupt();
  scheduler.wake(ofOne(2), "news");
  expect(runs.map(({ turn }) => turn.signal.aborted)).toEqual([true, false]);
});

test("a wake that the running turn takes causes no further run", async () => {
  const { scheduler, runs, ids } = manualScheduler(1);
  scheduler.wake(ofOne(1), "news");
  expect(runs[0]!.turn.takeWake()).toBeUndefined();
  scheduler.wake(ofOne(1), "fresh");
  expect([runs[0]!.turn.takeWake(), runs[0]!.turn.takeWake()]).toEqual(["fresh", undefined]);
  await runs[0]!.end();
  expect(ids()).toEqual([1]);
});

test.each([
  [["look", "look"], "look"],
  [["fresh", "fresh"], "fresh"],
  [["look", "news", "look"], "news"],
  [["fresh", "look"], "news"],
  [["look", "fresh"], "news"],
  [["news", "fresh"], "news"],
] as const)("wakes for %j collapse into %s", async (reasons, collapsed) => {
  const { scheduler, runs } = manualScheduler(1);
  scheduler.wake(ofOne(1), "look");
  for (const reason of reasons) scheduler.wake(ofOne(2), reason);
  await runs[0]!.end();
  expect(runs.map(({ turn }) => turn.reason)).toEqual(["look", collapsed]);
});

test("slots rotate: a webhook with more to send queues behind the waiting ones", async () => {
  const { scheduler, runs, ids } = manualScheduler(1);
  scheduler.wake(ofOne(1), "news");
  expect(runs[0]!.turn.isOver(1)).toBe(false);
  for (const id of [2, 1, 3]) scheduler.wake(ofOne(id), "news");
  expect(runs[0]!.turn.isOver(1)).toBe(true);
  await runs[0]!.end(0);
  await runs[1]!.end();
  await runs[2]!.end();
  expect(ids()).toEqual([1, 2, 3, 1]);
  expect(runs[3]!.turn.isOver(1)).toBe(false);
});

test("webhooks that wait for a slot do not stop a turn before its first attempt", async () => {
  const { scheduler, runs } = manualScheduler(4);
  for (const id of [1, 2, 3]) scheduler.wake(ofOne(id), "news");
  expect(runs.map(({ turn }) => [turn.isOver(0), turn.isOver(1)])).toEqual([
    [false, true],
    [false, true],
  ]);
});

test("an owner's hanging receivers leave slots for others, whose turns they do not end", async () => {
  const { scheduler, runs, ids } = manualScheduler(8);
  for (const id of upTo(100)) scheduler.wake(ofOne(id), "look");
  expect(ids()).toEqual([1, 2, 3, 4]);
  scheduler.wake(ofAnother(200), "look");
  expect(ids()).toEqual([1, 2, 3, 4, 200]);
  expect(runs.map(({ turn }) => turn.isOver(1))).toEqual([true, true, true, true, false]);
});

test("an owner waits for one turn of each other, however many webhooks the others have", async () => {
  const { scheduler, runs, ids } = manualScheduler(256);
  for (const id of upTo(1_000)) scheduler.wake(ofOne(id), "look");
  // Ten more owners take all other slots.
  for (const nth of upTo(10))
    for (const id of upTo(1_000)) scheduler.wake({ _id: 1_000 * nth + id, userId: nth + 10 }, "look");
  expect(runs).toHaveLength(256);
  scheduler.wake(ofAnother(20_000), "look");
  scheduler.wake(ofAnother(20_001), "look");
  const before = runs.length;
  // Every tenth receiver hangs.
  for (let nth = 0; !ids().includes(20_000); nth++) if (nth % 10 > 0) await runs[nth]!.end(0);
  expect(runs.length - before).toBeLessThanOrEqual(11);
});

test("owners with more webhooks than slots get the same number of slots", async () => {
  const { scheduler, runs } = manualScheduler(9);
  for (const id of upTo(20)) scheduler.wake(ofOne(id), "look");
  for (const id of upTo(20)) scheduler.wake(ofAnother(100 + id), "look");
  const running = new Set(runs);
  for (let turn = 0; turn < 50; turn++) {
    const over = [...running].find(({ turn }) => turn.isOver(1))!;
    running.delete(over);
    const known = runs.length;
    await over.end(0);
    for (const run of runs.slice(known)) running.add(run);
  }
  const slotsOf = (userId: number) => [...running].filter(({ turn }) => turn.webhook.userId === userId).length;
  expect([slotsOf(1), slotsOf(2)]).toEqual([3, 3]);
});

test("a webhook that has to wait leaves its slot, and wakes do not end the wait", async () => {
  const { scheduler, runs, ids } = manualScheduler(1);
  scheduler.wake(ofOne(1), "news");
  await runs[0]!.end(1_000);
  scheduler.wake(ofOne(1), "look");
  scheduler.wake(ofOne(2), "news");
  await runs[1]!.end();
  expect(ids()).toEqual([1, 2]);
  await eventually(() => expect(ids()).toEqual([1, 2, 1]));
  expect([runs[2]!.turn.reason, runs[2]!.turn.takeWake()]).toEqual(["fresh", "look"]);
});

test("a wake of a webhook that waits to go on leaves what it has read to it, and is kept", async () => {
  const { scheduler, runs, ids } = manualScheduler(1);
  scheduler.wake(ofOne(1), "fresh");
  scheduler.wake(ofOne(2), "news");
  await runs[0]!.end(0);
  scheduler.wake(ofOne(1), "look");
  await runs[1]!.end();
  expect(ids()).toEqual([1, 2, 1]);
  expect([runs[2]!.turn.reason, runs[2]!.turn.takeWake()]).toEqual(["fresh", "look"]);
});

test("a run that fails frees its slot", async () => {
  const { scheduler, runs, ids } = manualScheduler(1);
  scheduler.wake(ofOne(1), "news");
  scheduler.wake(ofOne(2), "news");
  await runs[0]!.fail();
  expect(ids()).toEqual([1, 2]);
});

test("disposing waits for running turns and begins none", async () => {
  const { scheduler, runs, ids } = manualScheduler(1);
  scheduler.wake(ofOne(1), "news");
  scheduler.wake(ofOne(2), "news");
  let ended = false;
  const ending = scheduler[Symbol.asyncDispose]().then(() => (ended = true));
  await tick();
  expect([ended, runs[0]!.turn.isOver(0), runs[0]!.turn.signal.aborted]).toEqual([false, true, false]);
  await runs[0]!.end(0);
  await ending;
  expect(ids()).toEqual([1]);
});
