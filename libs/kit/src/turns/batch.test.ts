import { MongoNetworkError } from "mongodb";
import { batched } from "./batch.js";

/** Batches that the test ends. */
function manualBatches(waitMs = 0, atOnce = 1) {
  const calls: { items: readonly number[]; end(): void; fail(why?: Error): void }[] = [];
  const add = batched<number, number>(
    { maxItems: 3, waitMs, atOnce },
    (items) =>
      new Promise((resolve, reject) =>
        calls.push({
          items,
          end: () => resolve(items.map((n) => n * 10)),
          fail: (why = new Error("no")) => reject(why),
        }),
      ),
  );
  const startedBatches = async (count: number) => {
    while (calls.length < count) await new Promise(setImmediate);
    return calls.map(({ items }) => items);
  };
  return { add, calls, startedBatches };
}

test("a batch that does not end holds up no other while fewer than `atOnce` are under way", async () => {
  const { add, calls, startedBatches } = manualBatches(0, 2);
  void add(1);
  await startedBatches(1);
  const others = [2, 3, 4, 5].map(add);
  expect(await startedBatches(2)).toEqual([[1], [2, 3, 4]]);
  calls[1]!.end();
  expect((await startedBatches(3))[2]).toEqual([5]);
  calls[2]!.end();
  expect(await Promise.all(others)).toEqual([20, 30, 40, 50]);
});

test("calls of one tick share a batch, later ones wait for the next, and each returns its own result", async () => {
  const { add, calls, startedBatches } = manualBatches();
  const results = [1, 2].map(add);
  expect(await startedBatches(1)).toEqual([[1, 2]]);
  results.push(...[3, 4, 5, 6].map(add));
  calls[0]!.end();
  expect(await startedBatches(2)).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  calls[1]!.end();
  expect((await startedBatches(3))[2]).toEqual([6]);
  calls[2]!.end();
  expect(await Promise.all(results)).toEqual([10, 20, 30, 40, 50, 60]);
});

test("a batch ends before the call that would make it too large, and a larger call has its own", async () => {
  const started: (readonly string[])[] = [];
  const add = batched({ maxItems: 3, waitMs: 0, maxBytes: 5, bytesOf: (ask: string) => ask.length }, async (asks) => {
    started.push(asks);
    return asks;
  });
  await Promise.all(["aaa", "bb", "c", "dddddddd", "e", "f", "g", "h"].map(add));
  expect(started).toEqual([["aaa", "bb"], ["c"], ["dddddddd"], ["e", "f", "g"], ["h"]]);
});

test("a hurried batch waits for no further calls, even if it begins after another one", async () => {
  const { add, calls, startedBatches } = manualBatches(2 ** 30);
  const results = [add(1)];
  add.hurry();
  expect(await startedBatches(1)).toEqual([[1]]);
  results.push(add(2));
  add.hurry();
  calls[0]!.end();
  expect(await startedBatches(2)).toEqual([[1], [2]]);
  calls[1]!.end();
  expect(await Promise.all(results)).toEqual([10, 20]);
});

test("after a batch fails, its calls are repeated one by one and fail alone", async () => {
  const { add, calls, startedBatches } = manualBatches();
  const [first, second] = [add(1), add(2)];
  const failed = expect(first).rejects.toThrow("no");
  await startedBatches(1);
  calls[0]!.fail();
  await startedBatches(2);
  calls[1]!.fail();
  expect(await startedBatches(3)).toEqual([[1, 2], [1], [2]]);
  calls[2]!.end();
  await failed;
  expect(await second).toBe(20);
});

test("after a batch fails because the database is unreachable, its calls are not repeated", async () => {
  const { add, calls, startedBatches } = manualBatches();
  const outcomes = Promise.allSettled([add(1), add(2), add(3)]);
  await startedBatches(1);
  const disconnected = new MongoNetworkError("The connection was closed");
  calls[0]!.fail(disconnected);
  expect(await outcomes).toEqual(Array.from({ length: 3 }, () => ({ status: "rejected", reason: disconnected })));
  expect(await startedBatches(1)).toEqual([[1, 2, 3]]);
});
