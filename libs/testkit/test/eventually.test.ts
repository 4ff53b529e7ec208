import { eventually } from "../src/eventually.js";

test("returns what the first attempt that does not throw returns", async () => {
  let attempts = 0;
  const answer = await eventually(() => {
    attempts += 1;
    if (attempts < 3) throw new Error("not yet");
    return attempts;
  });
  expect(answer).toBe(3);
});

test("says what it last saw, and for how long", async () => {
  // A clock of its own: however slow the machine is, there is time for some attempts.
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

test("gives nothing up that gets on", async () => {
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
