import { eventually } from "@ci/testkit/eventually";
import { createLog } from "../src/process/log.js";
import { loop } from "../src/process/loop.js";

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
