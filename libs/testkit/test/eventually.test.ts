import { eventually } from "../src/eventually.js";

test("returns the result of the first attempt that does not throw", async () => {
  let attempts = 0;
  const answer = await eventually(() => {
    attempts += 1;
    if (attempts < 3) throw new Error("not yet");
    return attempts;
  });
  expect(answer).toBe(3);
});

test("reports the last error and the time spent", async () => {
  // With its own clock there is time for some attempts, however slow the machine is.
  let nowMs = 0;
  let attempts = 0;
  const trying = eventually(
    async () => {
      attempts += 1;
      nowMs += 20;
      expect(`attempt ${attempts}`).toBe("never");
    },
    { withinMs: 60, everyMs: 1, now: () => nowMs },
  );
  await expect(trying).rejects.toThrow(/^Still after 60 ms: /);
  await expect(trying).rejects.toThrow("attempt 3");
});

test("keeps trying while there is progress", async () => {
  let nowMs = 0;
  let attempts = 0;
  const answer = await eventually(
    () => {
      attempts += 1;
      nowMs += 300;
      if (attempts < 20) throw new Error("not yet");
      return attempts;
    },
    { withinMs: 400, everyMs: 1, progress: () => attempts, now: () => nowMs },
  );
  expect(answer).toBe(20);
});
