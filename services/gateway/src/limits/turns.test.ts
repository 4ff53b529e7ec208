import { turns } from "./turns.js";

const never = () => new AbortController().signal;

/** Work that ends when it is told to. */
function aTask() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const begun = { is: false };
  const work = () => {
    begun.is = true;
    return ended;
  };
  return { begun, end, work };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("a user's requests wait for each other in order, and not for those of others", async () => {
  const take = turns(1);
  const [first, second, third, other] = [aTask(), aTask(), aTask(), aTask()];
  const all = [first, second, third].map(({ work }) => take("ann", never(), work));
  const another = take("bob", never(), other.work);
  await settled();
  expect([first, second, third, other].map(({ begun }) => begun.is)).toEqual([true, false, false, true]);
  first.end();
  await all[0];
  await settled();
  expect([second, third].map(({ begun }) => begun.is)).toEqual([true, false]);
  for (const { end } of [second, third, other]) end();
  await Promise.all([...all, another]);
});

test("work that fails passes its turn on", async () => {
  const take = turns(1);
  await expect(take("ann", never(), () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await take("ann", never(), async () => 7)).toBe(7);
});

test("a client that disconnects leaves the line", async () => {
  const take = turns(1);
  const [first, second] = [aTask(), aTask()];
  const held = take("ann", never(), first.work);
  const leaving = new AbortController();
  const left = take("ann", leaving.signal, second.work);
  leaving.abort();
  await expect(left).rejects.toThrow();
  first.end();
  await held;
  expect(second.begun.is).toBe(false);
  expect(await take("ann", never(), async () => 7)).toBe(7);
});

test("beyond 1,000 waiting requests a user's next one is refused", async () => {
  const take = turns(1);
  const first = aTask();
  const held = take("ann", never(), first.work);
  const waiting = Array.from({ length: 1_000 }, () => take("ann", never(), async () => 7));
  await expect(take("ann", never(), async () => 7)).rejects.toMatchObject({ status: 429 });
  expect(await take("bob", never(), async () => 7)).toBe(7);
  first.end();
  await held;
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => 7));
});

test("without a limit, requests of one user run at the same time", async () => {
  const take = turns(0);
  const [first, second] = [aTask(), aTask()];
  const both = [first, second].map(({ work }) => take("ann", never(), work));
  expect([first, second].map(({ begun }) => begun.is)).toEqual([true, true]);
  first.end();
  second.end();
  await Promise.all(both);
});

test("the event loop does other work between two requests of a user", async () => {
  const take = turns(1);
  const done: string[] = [];
  const all = ["first", "second", "third"].map((name) => take("ann", never(), async () => void done.push(name)));
  setImmediate(() => {
    done.push("other");
    setImmediate(() => done.push("another"));
  });
  await Promise.all(all);
  expect(done.indexOf("other")).toBeLessThan(done.indexOf("third"));
  expect(done.slice(0, 1)).toEqual(["first"]);
});
