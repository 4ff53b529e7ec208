import { sharedReads } from "./shared-reads.js";

/** Reads that end when a test ends them. Each returns how many had begun. */
function someReads() {
  const ends: ((failure?: Error) => void)[] = [];
  const read = () =>
    new Promise<number>((resolve, reject) => {
      const nth = ends.length + 1;
      ends.push((failure) => (failure ? reject(failure) : resolve(nth)));
    });
  return { ends, read };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("reads that come while one is under way share the next one", async () => {
  const shared = sharedReads<number>();
  const { ends, read } = someReads();
  const first = shared("a", read);
  const others = [shared("a", read), shared("a", read)];
  expect(ends).toHaveLength(1);
  ends[0]!();
  expect(await first).toBe(1);
  await settled();
  expect(ends).toHaveLength(2);
  const late = shared("a", read);
  ends[1]!();
  expect(await Promise.all(others)).toEqual([2, 2]);
  await settled();
  ends[2]!();
  expect(await late).toBe(3);
});

test("other keys do not wait", async () => {
  const shared = sharedReads<number>();
  const { ends, read } = someReads();
  const both = [shared("a", read), shared("b", read)];
  for (const end of ends) end();
  expect(await Promise.all(both)).toEqual([1, 2]);
});

test("a failure reaches only the reads that shared it", async () => {
  const shared = sharedReads<number>();
  const { ends, read } = someReads();
  const first = shared("a", read);
  const second = shared("a", read);
  ends[0]!(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await settled();
  ends[1]!();
  expect(await second).toBe(2);
  const third = shared("a", read);
  ends[2]!();
  expect(await third).toBe(3);
});

test("if the earlier read finds its peer unavailable, those who wait fail at once, and later ones read again", async () => {
  const shared = sharedReads<number>();
  const { ends, read } = someReads();
  const first = shared("a", read);
  const waiting = [shared("a", read), shared("a", read)];
  ends[0]!(Object.assign(new Error("away"), { code: "unavailable" }));
  for (const one of [first, ...waiting]) await expect(one).rejects.toThrow("away");
  const later = shared("a", read);
  expect(ends).toHaveLength(2);
  ends[1]!();
  expect(await later).toBe(2);
});
