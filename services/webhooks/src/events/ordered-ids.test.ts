import { orderedIds } from "./ordered-ids.js";

function counter() {
  let next = 1;
  const sizes: number[] = [];
  const reserve = async (count: number) => {
    sizes.push(count);
    next += count;
    return next - count;
  };
  return { reserve, sizes };
}

test("ids of a term are consecutive, and one reservation suffices for many", async () => {
  const { reserve, sizes } = counter();
  const ids = orderedIds({ term: () => 1 }, reserve);
  expect([await ids.next(1), await ids.next(3), await ids.next(1)]).toEqual([1, 2, 5]);
  expect(sizes).toEqual([1_000]);
});

test("a block continues the one before, unless another process has reserved ids", async () => {
  const { reserve, sizes } = counter();
  const ids = orderedIds({ term: () => 1 }, reserve);
  expect([await ids.next(999), await ids.next(2), await ids.next(5_000)]).toEqual([1, 1_000, 1_002]);
  await reserve(10);
  expect(await ids.next(1_000)).toBe(7_011);
  expect(sizes).toEqual([1_000, 1_000, 5_000, 10, 1_000]);
});

test("ids after a skip exceed those that others have taken", async () => {
  const { reserve } = counter();
  const ids = orderedIds({ term: () => 1 }, reserve);
  const before = await ids.next(2);
  const [taken] = [await reserve(1)];
  ids.skip();
  expect([before, taken, await ids.next(1)]).toEqual([1, 1_001, 1_002]);
  ids.check(before);
});

test("each term begins above the ids of other processes", async () => {
  const { reserve } = counter();
  let term = 1;
  const first = orderedIds({ term: () => term }, reserve);
  const second = orderedIds({ term: () => 1 }, reserve);
  const given = [await first.next(1), await second.next(1)];
  term = 2;
  given.push(await first.next(1));
  expect(given).toEqual([1, 1_001, 2_001]);
});

test("a process without the lease gets no ids, even if the lease ends while it reserves them", async () => {
  const { reserve } = counter();
  let term: number | undefined = 1;
  const ids = orderedIds({ term: () => term }, (count) => {
    term = undefined;
    return reserve(count);
  });
  await expect(ids.next(1)).rejects.toThrow("the lease on the events has ended");
  await expect(ids.next(1)).rejects.toThrow("the lease on the events has ended");
  term = 2;
  const later = orderedIds({ term: () => term }, (count) => {
    term = 3;
    return reserve(count);
  });
  await expect(later.next(1)).rejects.toThrow("the term has ended");
});

test("an id is rejected once its term has ended", async () => {
  const { reserve } = counter();
  let term: number | undefined = 1;
  const ids = orderedIds({ term: () => term }, reserve);
  const id = await ids.next(1);
  await ids.next(2_000);
  ids.check(id);
  term = undefined;
  expect(() => ids.check(id)).toThrow("the lease on the events has ended");
  term = 2;
  expect(() => ids.check(id)).toThrow("the term has ended");
  const later = await ids.next(1);
  expect(() => ids.check(id)).toThrow("the term has ended");
  ids.check(later);
});
