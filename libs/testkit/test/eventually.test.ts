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
  let attempts = 0;
  const trying = eventually(
    async () => {
      attempts += 1;
      expect(`attempt ${attempts}`).toBe("never");
    },
    { withinMs: 60, everyMs: 5 },
  );
  await expect(trying).rejects.toThrow(/^Still after \d+ ms: /);
  await expect(trying).rejects.toThrow(`attempt ${attempts}`);
  expect(attempts).toBeGreaterThan(1);
});

test("gives nothing up that gets on", async () => {
  let attempts = 0;
  const answer = await eventually(
    () => {
      attempts += 1;
      if (attempts < 20) throw new Error("not yet");
      return attempts;
    },
    { withinMs: 400, everyMs: 40, progress: () => attempts },
  );
  expect(answer).toBe(20);
});
