import { eventually } from "../src/eventually.js";

test("eventually returns the result of the first attempt that does not throw", async () => {
  let attempts = 0;
  const result = await eventually(() => {
    attempts += 1;
    if (attempts < 3) throw new Error("not yet");
    return attempts;
  });
  expect(result).toBe(3);
});

test("eventually reports the last error and the elapsed time", async () => {
  // A separate clock leaves time for some attempts, even on the slowest machine.
  let nowMs = 0;
  let attempts = 0;
  const attempting = eventually(
    async () => {
      attempts += 1;
      nowMs += 20;
      expect(`attempt ${attempts}`).toBe("never");
    },
    { withinMs: 60, everyMs: 1, now: () => nowMs },
  );
  await expect(attempting).rejects.toThrow(/^Still after 60 ms: /);
  await expect(attempting).rejects.toThrow("attempt 3");
});

test("eventually keeps trying while there is progress", async () => {
  let nowMs = 0;
  let attempts = 0;
  const result = await eventually(
    () => {
      attempts += 1;
      nowMs += 300;
      if (attempts < 20) throw new Error("not yet");
      return attempts;
    },
    { withinMs: 400, everyMs: 1, progress: () => attempts, now: () => nowMs },
  );
  expect(result).toBe(20);
});
