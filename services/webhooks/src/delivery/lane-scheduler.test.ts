import { createLog } from "@ci/kit/process/log";
import { laneScheduler, type Turn } from "./lane-scheduler.js";

const log = createLog("webhooks", "silent");
const tick = () => new Promise(setImmediate);

/** Returns a scheduler whose runs last until the test ends them. */
function manualScheduler(slots: number) {
  const runs: { id: number; turn: Turn; end(more?: boolean): Promise<void>; fail(): Promise<void> }[] = [];
  const scheduler = laneScheduler(
    slots,
    log,
    (id, turn) =>
      new Promise((resolve, reject) => {
        const end = async (more = false) => {
          resolve(more);
          await tick();
        };
        const fail = async () => {
          reject(new Error("no database"));
          await tick();
        };
        runs.push({ id, turn, end, fail });
      }),
  );
  return { scheduler, runs, ids: () => runs.map(({ id }) => id) };
}

test("a webhook has one run at a time, and one more if it was woken meanwhile", async () => {
  const { scheduler, runs, ids } = manualScheduler(4);
  for (const id of [1, 2, 1, 1]) scheduler.wake(id, "news");
  expect(ids()).toEqual([1, 2]);
  await runs[0]!.end();
  expect(ids()).toEqual([1, 2, 1]);
  await runs[2]!.end();
  expect(ids()).toEqual([1, 2, 1]);
});

test("an interruption aborts running turns, but none that begins later", async () => {
  const { scheduler, runs } = manualScheduler(2);
  scheduler.wake(1, "news");
  scheduler.interrupt();
  scheduler.wake(2, "news");
  expect(runs.map(({ turn }) => turn.signal.aborted)).toEqual([true, false]);
});

test("a wake that the running turn takes causes no further run", async () => {
  const { scheduler, runs, ids } = manualScheduler(1);
  scheduler.wake(1, "news");
  expect(runs[0]!.turn.takeWake()).toBeUndefined();
  scheduler.wake(1, "fresh");
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
  scheduler.wake(1, "look");
  for (const reason of reasons) scheduler.wake(2, reason);
  await runs[0]!.end();
  expect(runs.map(({ turn }) => turn.reason)).toEqual(["look", collapsed]);
});

test("slots rotate: a webhook with more to send queues behind the waiting ones", async () => {
  const { scheduler, runs, ids } = manualScheduler(1);
  scheduler.wake(1, "news");
  expect(runs[0]!.turn.isOver(1)).toBe(false);
  for (const id of [2, 1, 3]) scheduler.wake(id, "news");
  expect(runs[0]!.turn.isOver(1)).toBe(true);
  await runs[0]!.end(true);
  await runs[1]!.end();
  await runs[2]!.end();
  expect(ids()).toEqual([1, 2, 3, 1]);
  expect(runs[3]!.turn.isOver(1)).toBe(false);
});

test("webhooks that wait for a slot do not stop a turn before its first attempt", async () => {
  const { scheduler, runs } = manualScheduler(2);
  for (const id of [1, 2, 3]) scheduler.wake(id, "news");
  expect(runs.map(({ turn }) => [turn.isOver(0), turn.isOver(1)])).toEqual([
    [false, true],
    [false, true],
  ]);
});

test("a run that fails frees its slot", async () => {
  const { scheduler, runs, ids } = manualScheduler(1);
  scheduler.wake(1, "news");
  scheduler.wake(2, "news");
  await runs[0]!.fail();
  expect(ids()).toEqual([1, 2]);
});

test("disposing waits for running turns and begins none", async () => {
  const { scheduler, runs, ids } = manualScheduler(1);
  scheduler.wake(1, "news");
  scheduler.wake(2, "news");
  let ended = false;
  const ending = scheduler[Symbol.asyncDispose]().then(() => (ended = true));
  await tick();
  expect([ended, runs[0]!.turn.isOver(0), runs[0]!.turn.signal.aborted]).toEqual([false, true, false]);
  await runs[0]!.end(true);
  await ending;
  expect(ids()).toEqual([1]);
});
