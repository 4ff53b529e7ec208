import { keptByLength } from "./kept-by-length.js";

/** Keeps a text, and returns once its length is known. */
async function keep(kept: ReturnType<typeof keptByLength<string | undefined>>, key: string, text: string | undefined) {
  const value = Promise.resolve(text);
  kept.keep(key, value);
  await value;
}

test("the least recently kept values are dropped when their total length is too large", async () => {
  const kept = keptByLength<string | undefined>(10);
  await keep(kept, "a", "aaaa");
  await keep(kept, "b", "bbbb");
  await keep(kept, "a", await kept.take("a"));
  await keep(kept, "c", "cccc");
  expect(kept.take("b")).toBeUndefined();
  expect([await kept.take("a"), await kept.take("c")]).toEqual(["aaaa", "cccc"]);
  expect(kept.take("a")).toBeUndefined();
});

test("a value that replaces another of its key, or is taken, no longer counts", async () => {
  const kept = keptByLength<string | undefined>(10);
  for (const text of ["aaaaaa", "bbbbbb", "cccccc"]) await keep(kept, "same", text);
  await keep(kept, "taken", "dddd");
  await kept.take("taken");
  await keep(kept, "other", "eeee");
  expect([await kept.take("same"), await kept.take("other")]).toEqual(["cccccc", "eeee"]);
});

test("a value that is missing or fails is not kept", async () => {
  const kept = keptByLength<string | undefined>(10);
  await keep(kept, "missing", undefined);
  const failed = Promise.reject(new Error("away"));
  kept.keep("failed", failed);
  await expect(failed).rejects.toThrow("away");
  expect([kept.take("missing"), kept.take("failed")]).toEqual([undefined, undefined]);
});
