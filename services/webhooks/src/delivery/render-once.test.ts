import type { Event } from "@ci/proto/events/v1/events";
import { renderOnce } from "./render-once.js";

const events = (...ids: string[]) => ids.map((id) => ({ id, kind: "cron" }) as Event);

/** Returns a renderer that renders an event as its id and the number of the call, padded to `sizeBytes`. */
function countingRender(sizeBytes = 0) {
  const calls: string[][] = [];
  const render = renderOnce(async (requested) => {
    const call = calls.push(requested.map(({ id }) => id));
    await new Promise(setImmediate);
    if (requested.some(({ id }) => id === "bad" && call === 1)) throw new Error("no names");
    return requested.map(({ id }) => `${id}${call}`.padEnd(sizeBytes));
  });
  return { calls, render };
}

test("both readers of an event get the payload of one rendering, a third does not", async () => {
  const { calls, render } = countingRender();
  expect(await render(events("a", "b"))).toEqual(["a1", "b1"]);
  expect(await render(events("b", "c", "a"))).toEqual(["b1", "c2", "a1"]);
  expect(await render(events("a"))).toEqual(["a3"]);
  expect(calls).toEqual([["a", "b"], ["c"], ["a"]]);
});

test("a second reader during a rendering shares its result", async () => {
  const { calls, render } = countingRender();
  expect(await Promise.all([render(events("a")), render(events("a"))])).toEqual([["a1"], ["a1"]]);
  expect(calls).toHaveLength(1);
});

test("an event requested twice in one call is rendered once", async () => {
  const { calls, render } = countingRender();
  expect(await render(events("a", "b", "a"))).toEqual(["a1", "b1", "a1"]);
  expect(calls).toEqual([["a", "b"]]);
});

test("a rendering that failed is repeated", async () => {
  const { render } = countingRender();
  await expect(render(events("bad"))).rejects.toThrow("no names");
  expect(await render(events("bad"))).toEqual(["bad2"]);
});

test("the oldest payloads are dropped when memory runs out", async () => {
  const { calls, render } = countingRender(1024 ** 2);
  const ids = Array.from({ length: 10 }, (_, index) => `e${index}`);
  for (const id of ids) await render(events(id));
  await render(events(...ids));
  expect(calls.at(-1)).toEqual(["e0", "e1"]);
});
