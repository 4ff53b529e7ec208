import { deliveryIds } from "./delivery-ids.js";

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
  const ids = deliveryIds({ term: () => 1 }, reserve);
  expect([await ids(1), await ids(3), await ids(1)]).toEqual([1, 2, 5]);
  expect(sizes).toEqual([1_000]);
});

test("a block continues the one before, unless another process has reserved ids", async () => {
  const { reserve, sizes } = counter();
  const ids = deliveryIds({ term: () => 1 }, reserve);
  expect([await ids(999), await ids(2), await ids(5_000)]).toEqual([1, 1_000, 1_002]);
  await reserve(10);
  expect(await ids(1_000)).toBe(7_011);
  expect(sizes).toEqual([1_000, 1_000, 5_000, 10, 1_000]);
});

test("each term begins above the ids of other processes", async () => {
  const { reserve } = counter();
  let term = 1;
  const first = deliveryIds({ term: () => term }, reserve);
  const second = deliveryIds({ term: () => 1 }, reserve);
  const given = [await first(1), await second(1)];
  term = 2;
  given.push(await first(1));
  expect(given).toEqual([1, 1_001, 2_001]);
});

test("a process without the lease gets no ids, even if the lease ends while it reserves them", async () => {
  const { reserve } = counter();
  let term: number | undefined = 1;
  const ids = deliveryIds({ term: () => term }, (count) => {
    term = undefined;
    return reserve(count);
  });
  await expect(ids(1)).rejects.toThrow("the lease on the events has ended");
  await expect(ids(1)).rejects.toThrow("the lease on the events has ended");
  term = 2;
  const later = deliveryIds({ term: () => term }, (count) => {
    term = 3;
    return reserve(count);
  });
  await expect(later(1)).rejects.toThrow("the term has ended");
});
