import { limited } from "./limited.js";

test("at most so many tasks run at a time, the others in order, and a failure frees its place", async () => {
  const inTurn = limited(2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const tasks = [0, 1, 2, 3].map((nth) =>
    inTurn(async () => {
      started.push(nth);
      await new Promise<void>((resolve) => ends.push(resolve));
      if (nth === 0) throw new Error("failed");
    }),
  );
  await new Promise(setImmediate);
  expect(started).toEqual([0, 1]);
  ends[0]!();
  await expect(tasks[0]).rejects.toThrow("failed");
  await new Promise(setImmediate);
  expect(started).toEqual([0, 1, 2]);
  ends[1]!();
  ends[2]!();
  await new Promise(setImmediate);
  expect(started).toEqual([0, 1, 2, 3]);
  ends[3]!();
  await Promise.all(tasks.slice(1));
});
