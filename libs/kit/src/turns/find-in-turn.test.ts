import { findInTurn } from "./find-in-turn.js";

/** Searches that run until the test ends them, in the order in which they begin. */
function searches() {
  const ends: ((found: number | undefined) => void)[] = [];
  const fails: ((error: Error) => void)[] = [];
  const search = () =>
    new Promise<number | undefined>((resolve, reject) => {
      ends.push(resolve);
      fails.push(reject);
    });
  return { ends, fails, search };
}

const settle = () => new Promise(setImmediate);

it("runs one search of a key at a time, and other keys beside it", async () => {
  const { ends, search } = searches();
  const find = findInTurn<number>();
  const results = [find("a", search), find("a", search), find("b", search)];
  await settle();
  expect(ends).toHaveLength(2);
  ends[0]!(1);
  await settle();
  expect(ends).toHaveLength(3);
  ends[1]!(2);
  ends[2]!(3);
  expect(await Promise.all(results)).toEqual([1, 3, 2]);
});

it("a search that finds nothing ends those that were waiting when it began, and later ones run", async () => {
  const { ends, search } = searches();
  const find = findInTurn<number>();
  const first = find("a", search);
  const second = find("a", search);
  const third = find("a", search);
  ends[0]!(1);
  await settle();
  const late = find("a", search);
  ends[1]!(undefined);
  expect(await Promise.all([first, second, third])).toEqual([1, undefined, undefined]);
  expect(ends).toHaveLength(3);
  ends[2]!(4);
  expect(await late).toBe(4);
});

it("a failed search fails no other", async () => {
  const { ends, fails, search } = searches();
  const find = findInTurn<number>();
  const failing = find("a", search);
  const next = find("a", search);
  fails[0]!(new Error("away"));
  await expect(failing).rejects.toThrow("away");
  ends[1]!(2);
  expect(await next).toBe(2);
});
