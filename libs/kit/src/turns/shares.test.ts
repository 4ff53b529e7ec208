import { sharesOf } from "./shares.js";

const hangs = () => new Promise<void>(() => {});

it("an owner gets no slot while it has as many as are free", () => {
  const shares = sharesOf<string>(8);
  const started = (owner: string) => {
    let count = 0;
    for (; shares.mayStart(owner); count++) shares.start(owner, hangs(), () => {});
    return count;
  };
  expect(["a", "b", "c", "d"].map(started)).toEqual([4, 2, 1, 1]);
  expect([shares.isFull(), shares.running(), shares.sated()]).toEqual([true, 8, ["a", "b", "c", "d"]]);
});

it("a task that ends frees its slot before it is announced", async () => {
  const shares = sharesOf<string | null>(2);
  shares.start("b", hangs(), () => {});
  expect([shares.mayStart("b"), shares.sated(), shares.mayStart(null)]).toEqual([false, ["b"], true]);
  const running = await new Promise((resolve) =>
    shares.start(null, Promise.resolve(), () => resolve(shares.running())),
  );
  expect([running, shares.mayStart(null), shares.sated()]).toEqual([1, true, ["b"]]);
});
