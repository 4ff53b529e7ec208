import { oneByOne } from "./one-by-one.js";

/** Tasks that run until the test ends them, in the order in which they begin. */
function tasks() {
  const ends: ((found: number | undefined) => void)[] = [];
  const fails: ((error: Error) => void)[] = [];
  const task = () =>
    new Promise<number | undefined>((resolve, reject) => {
      ends.push(resolve);
      fails.push(reject);
    });
  return { ends, fails, task };
}

const settle = () => new Promise(setImmediate);

it("runs one task of a key at a time, and other keys beside it", async () => {
  const { ends, task } = tasks();
  const inTurn = oneByOne<number>();
  const results = [inTurn("a", task), inTurn("a", task), inTurn("b", task)];
  await settle();
  expect(ends).toHaveLength(2);
  ends[0]!(1);
  await settle();
  expect(ends).toHaveLength(3);
  ends[1]!(2);
  ends[2]!(3);
  expect(await Promise.all(results)).toEqual([1, 3, 2]);
});

it("ends the tasks that were waiting when one began that finds nothing, and runs later ones", async () => {
  const { ends, task } = tasks();
  const inTurn = oneByOne<number>();
  const first = inTurn("a", task);
  const second = inTurn("a", task);
  const third = inTurn("a", task);
  ends[0]!(1);
  await settle();
  const late = inTurn("a", task);
  ends[1]!(undefined);
  expect(await Promise.all([first, second, third])).toEqual([1, undefined, undefined]);
  expect(ends).toHaveLength(3);
  ends[2]!(4);
  expect(await late).toBe(4);
});

it("a failed task fails no other", async () => {
  const { ends, fails, task } = tasks();
  const inTurn = oneByOne<number>();
  const failing = inTurn("a", task);
  const next = inTurn("a", task);
  fails[0]!(new Error("away"));
  await expect(failing).rejects.toThrow("away");
  ends[1]!(2);
  expect(await next).toBe(2);
});
