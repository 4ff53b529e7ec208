import { discarding } from "./discard.js";

const tick = () => new Promise(setImmediate);

test("contents are deleted four at a time, none is forgotten after a failure, and the rest is left when the process stops", async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const stopping = new AbortController();
  const tasks = new Set<Promise<void>>();
  const contents = {
    delete: (blobId: string) =>
      new Promise<void>((_, reject) => {
        begun.push(blobId);
        ends.push(() => reject(new Error("away")));
      }),
  };
  const discard = discarding({ contents: contents as never, tasks, signal: stopping.signal });
  discard(["a", "b", "c"]);
  discard(["d", "e", "f", "g", "h", "i", "j"]);
  expect(begun).toHaveLength(4);
  for (const end of ends.splice(0)) end();
  await tick();
  expect(new Set(begun).size).toBe(8);
  stopping.abort();
  for (const end of ends.splice(0)) end();
  await Promise.all(tasks);
  expect(begun).toHaveLength(8);
  expect(tasks.size).toBe(0);
});
