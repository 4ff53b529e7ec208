import { setTimeout as delay } from "node:timers/promises";
import { eventually } from "@ci/testkit/eventually";
import { createLog } from "../src/process/log.js";
import { loop, type Waking } from "../src/process/loop.js";

const log = createLog("test", "silent");

it("the loop repeats its pass, also after failures, until the signal aborts", async () => {
  const stop = new AbortController();
  let passes = 0;
  const { done } = loop(
    "test",
    1,
    async () => {
      if (++passes === 2) throw new Error("once");
    },
    { signal: stop.signal, log },
  );
  await eventually(() => expect(passes).toBeGreaterThan(3));
  stop.abort();
  await done;
});

it("wake starts a pass at once", async () => {
  const stop = new AbortController();
  let passes = 0;
  const { wake, done } = loop("test", 3_600_000, async () => void passes++, { signal: stop.signal, log });
  await eventually(() => expect(passes).toBe(1));
  wake();
  await eventually(() => expect(passes).toBe(2));
  stop.abort();
  await done;
});

it("wake during a pass starts another one after it", async () => {
  const stop = new AbortController();
  let endFirst = () => {};
  let passes = 0;
  const pass = () => (++passes === 1 ? new Promise<void>((resolve) => (endFirst = resolve)) : Promise.resolve());
  const { wake, done } = loop("test", 3_600_000, pass, { signal: stop.signal, log });
  wake();
  expect(passes).toBe(1);
  endFirst();
  await eventually(() => expect(passes).toBe(2));
  stop.abort();
  await done;
});

/** Returns a delay that records its pauses. Those of less than a second end at once, others only by their signal. */
function recorder() {
  const pauses: number[] = [];
  const delayed = (ms: number, value: undefined, options: { signal: AbortSignal }) => {
    pauses.push(ms);
    return delay(ms < 1_000 ? 0 : 3_600_000, value, options);
  };
  return { pauses, delayed };
}

/** The pauses of a loop of 1 ms until it rests for a second, while its passes find nothing. */
const untilTired = Array.from({ length: 10 }, (_, nth) => 2 ** (nth + 1));

it("a loop whose passes find nothing rests longer each time, until it is stirred", async () => {
  const stop = new AbortController();
  const { pauses, delayed } = recorder();
  const on = { signal: stop.signal, log, restMs: 3_600_000, delayed };
  const { stir, done } = loop("test", 1, async () => 0, on);
  await eventually(() => expect(pauses).toEqual(untilTired));
  stir();
  await eventually(() => expect(pauses).toEqual([...untilTired, 1, ...untilTired]));
  stop.abort();
  await done;
});

it("a pass that finds something ends the rest", async () => {
  const stop = new AbortController();
  const { pauses, delayed } = recorder();
  let passes = 0;
  const on = { signal: stop.signal, log, restMs: 3_600_000, delayed };
  const { wake, done } = loop("test", 1, async () => (++passes === 11 ? 1 : 0), on);
  await eventually(() => expect(pauses).toEqual(untilTired));
  wake();
  await eventually(() => expect(pauses).toEqual([...untilTired, 1, ...untilTired]));
  stop.abort();
  await done;
});

it("a loop without a longer rest keeps its pace", async () => {
  const stop = new AbortController();
  let passes = 0;
  const pass = async () => {
    passes++;
    return 0;
  };
  const { done } = loop("test", 1, pass, { signal: stop.signal, log });
  await eventually(() => expect(passes).toBeGreaterThan(100));
  stop.abort();
  await done;
});

/** Runs a loop whose rests last an hour while `check` looks at it. */
async function whileResting(pass: () => Promise<unknown>, check: (waking: Waking) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const { done, ...waking } = loop("test", 3_600_000, pass, { signal: stop.signal, log, restMs: 3_600_000 });
  await check(waking);
  stop.abort();
  await done;
}

it("a rest ends when the pass said that there would be something", async () => {
  let passes = 0;
  await whileResting(
    async () => ({ nextInMs: ++passes }),
    () => eventually(() => expect(passes).toBeGreaterThan(10)),
  );
});

it("a pass that is overdue already does not make the loop spin", async () => {
  let passes = 0;
  await whileResting(
    async () => ({ nextInMs: -++passes }),
    async ({ wake }) => {
      await eventually(() => expect(passes).toBe(1));
      wake();
      await eventually(() => expect(passes).toBe(2));
    },
  );
  expect(passes).toBe(2);
});
