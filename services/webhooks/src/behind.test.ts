import { behind } from "./behind.js";

test("so much may be under way, and what has failed is told once it is waited for", async () => {
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => ends.push(resolve));
  const writes = behind();
  for (let n = 0; n < 3; n++) writes.add(work());
  await writes.atMost(3);
  let below = false;
  const waited = writes.atMost(2).then(() => {
    below = true;
  });
  await new Promise(setImmediate);
  expect(below).toBe(false);
  ends[1]!();
  await waited;
  writes.add(Promise.reject(new Error("no database")));
  ends[0]!();
  ends[2]!();
  await writes.over();
  await expect(writes.atMost(0)).rejects.toThrow("no database");
});
