import { pendingWrites } from "./pending-writes.js";

test("atMost waits until enough writes have ended, and throws the first failure", async () => {
  const ends: (() => void)[] = [];
  const write = () => new Promise<void>((resolve) => ends.push(resolve));
  let hurried = 0;
  const writes = pendingWrites(() => hurried++);
  for (let n = 0; n < 3; n++) writes.add(write());
  await writes.atMost(3);
  expect(hurried).toBe(0);
  let resolved = false;
  const waiting = writes.atMost(2).then(() => {
    resolved = true;
  });
  await new Promise(setImmediate);
  expect([resolved, hurried]).toEqual([false, 1]);
  ends[1]!();
  await waiting;
  writes.add(Promise.reject(new Error("no database")));
  ends[0]!();
  ends[2]!();
  await writes.settled();
  await expect(writes.atMost(0)).rejects.toThrow("no database");
});
