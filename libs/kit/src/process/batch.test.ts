import { MongoNetworkError } from "mongodb";
import { batched } from "./batch.js";

/** Work that ends when the test says so. */
function byHand() {
  const calls: { asks: readonly number[]; end(): void; fail(why?: Error): void }[] = [];
  const ask = batched<number, number>(
    { most: 3, waitMs: 0 },
    (asks) =>
      new Promise((resolve, reject) =>
        calls.push({ asks, end: () => resolve(asks.map((n) => n * 10)), fail: (why = new Error("no")) => reject(why) }),
      ),
  );
  const begun = async (count: number) => {
    while (calls.length < count) await new Promise(setImmediate);
    return calls.map(({ asks }) => asks);
  };
  return { ask, calls, begun };
}

test("what is asked in one moment goes together, what comes meanwhile waits, and everybody gets their own answer", async () => {
  const { ask, calls, begun } = byHand();
  const answers = [1, 2].map(ask);
  expect(await begun(1)).toEqual([[1, 2]]);
  answers.push(...[3, 4, 5, 6].map(ask));
  calls[0]!.end();
  expect(await begun(2)).toEqual([
    [1, 2],
    [3, 4, 5],
  ]);
  calls[1]!.end();
  expect((await begun(3))[2]).toEqual([6]);
  calls[2]!.end();
  expect(await Promise.all(answers)).toEqual([10, 20, 30, 40, 50, 60]);
});

test("one that fails does not spoil it for others", async () => {
  const { ask, calls, begun } = byHand();
  const [one, two] = [ask(1), ask(2)];
  const failed = expect(one).rejects.toThrow("no");
  await begun(1);
  calls[0]!.fail();
  await begun(2);
  calls[1]!.fail();
  expect(await begun(3)).toEqual([[1, 2], [1], [2]]);
  calls[2]!.end();
  await failed;
  expect(await two).toBe(20);
});

test("while the database is away nobody is asked for alone", async () => {
  const { ask, calls, begun } = byHand();
  const all = Promise.allSettled([ask(1), ask(2), ask(3)]);
  await begun(1);
  const away = new MongoNetworkError("The connection was closed");
  calls[0]!.fail(away);
  expect(await all).toEqual(Array.from({ length: 3 }, () => ({ status: "rejected", reason: away })));
  expect(await begun(1)).toEqual([[1, 2, 3]]);
});
