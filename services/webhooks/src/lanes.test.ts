import { createLog } from "@ci/kit/process/log";
import { lanes, type Turn } from "./lanes.js";

const log = createLog("webhooks", "silent");
const tick = () => new Promise(setImmediate);

/** Lanes whose runs last until the test ends them. */
function byHand(places: number) {
  const runs: { id: number; turn: Turn; end(more?: boolean): Promise<void>; fail(): Promise<void> }[] = [];
  const made = lanes(
    places,
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
  return { lanes: made, runs, ids: () => runs.map(({ id }) => id) };
}

test("one run per webhook; who comes meanwhile has it run once more", async () => {
  const { lanes, runs, ids } = byHand(4);
  for (const id of [1, 2, 1, 1]) lanes.wake(id, "news");
  expect(ids()).toEqual([1, 2]);
  await runs[0]!.end();
  expect(ids()).toEqual([1, 2, 1]);
  await runs[2]!.end();
  expect(ids()).toEqual([1, 2, 1]);
});

test("an interruption ends what is under way, and nothing that begins later", async () => {
  const { lanes, runs } = byHand(2);
  lanes.wake(1, "news");
  lanes.interrupt();
  lanes.wake(2, "news");
  expect(runs.map(({ turn }) => turn.signal.aborted)).toEqual([true, false]);
});

test("a run that was told of the news needs no other for it", async () => {
  const { lanes, runs, ids } = byHand(1);
  lanes.wake(1, "news");
  expect(runs[0]!.turn.came()).toBeUndefined();
  lanes.wake(1, "fresh");
  expect([runs[0]!.turn.came(), runs[0]!.turn.came()]).toEqual(["fresh", undefined]);
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
] as const)("who comes as %j is neither forgotten nor taken for less", async (came, why) => {
  const { lanes, runs } = byHand(1);
  lanes.wake(1, "look");
  for (const one of came) lanes.wake(2, one);
  await runs[0]!.end();
  expect(runs.map(({ turn }) => turn.why)).toEqual(["look", why]);
});

test("the places are given in turn: a webhook with more to do goes behind those who wait", async () => {
  const { lanes, runs, ids } = byHand(1);
  lanes.wake(1, "news");
  expect(runs[0]!.turn.over()).toBe(false);
  for (const id of [2, 1, 3]) lanes.wake(id, "news");
  expect(runs[0]!.turn.over()).toBe(true);
  await runs[0]!.end(true);
  await runs[1]!.end();
  await runs[2]!.end();
  expect(ids()).toEqual([1, 2, 3, 1]);
  expect(runs[3]!.turn.over()).toBe(false);
});

test("a run that fails gives its place back", async () => {
  const { lanes, runs, ids } = byHand(1);
  lanes.wake(1, "news");
  lanes.wake(2, "news");
  await runs[0]!.fail();
  expect(ids()).toEqual([1, 2]);
});

test("the end waits for what is under way and begins nothing", async () => {
  const { lanes, runs, ids } = byHand(1);
  lanes.wake(1, "news");
  lanes.wake(2, "news");
  let ended = false;
  const ending = lanes[Symbol.asyncDispose]().then(() => (ended = true));
  await tick();
  expect([ended, runs[0]!.turn.over(), runs[0]!.turn.signal.aborted]).toEqual([false, true, false]);
  await runs[0]!.end(true);
  await ending;
  expect(ids()).toEqual([1]);
});
