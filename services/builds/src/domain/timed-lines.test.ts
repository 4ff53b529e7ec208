import { after, t0 } from "../../test/_build.js";
import { stamped } from "../../test/_stamped.js";
import { arrivedAt, timedCutter } from "./timed-lines.js";

/** Cuts an output that arrived in these texts, from an offset on, with blocks of a few bytes each. */
function cutAll(texts: readonly string[], { from = 0, blockBytes = 1_000, maxBytes = 1_000 }) {
  const pieces = texts.map((text, nth) => ({ data: Buffer.from(text), at: after(nth) }));
  const all = Buffer.concat(pieces.map(({ data }) => data));
  const ats = pieces.flatMap(({ data, at }) => [...data].map(() => at));
  const cutter = timedCutter(maxBytes, from === 0 || all[from - 1] === 10);
  const cuts: Buffer[] = [];
  let at = from;
  while (at < all.length) {
    const bytes = all.subarray(at, at + blockBytes);
    cutter.fill({ bytes, times: ats.slice(at, at + bytes.length).map((time) => ({ bytes: 1, at: time })) });
    while (!cutter.isEmpty()) {
      const { text, bytes } = cutter.take();
      at += bytes;
      cuts.push(Buffer.from(text));
    }
  }
  return cuts;
}

const texts = ["one\ntw", "o", "\n\n", "grü", "ße €", "\n", "x".repeat(70), "\n🙂🙂\nlast"];
const expected = stamped(texts.map((text, nth) => ({ text, at: after(nth) })));

it("each line begins with the time of the piece that it begins in", () => {
  expect(Buffer.concat(cutAll(["a\nb", "c\n", "d"], {})).toString()).toBe(
    "2026-03-01T12:00:00.000Z a\n2026-03-01T12:00:00.000Z bc\n2026-03-01T12:00:00.002Z d",
  );
});

it("every size of blocks and of texts gives the same", () => {
  for (let maxBytes = 29; maxBytes < 60; maxBytes++)
    for (const blockBytes of [4, 5, 7, 16, 64, 1_000]) {
      const cuts = cutAll(texts, { maxBytes, blockBytes });
      expect(Buffer.concat(cuts).toString()).toBe(expected);
      expect(Math.max(...cuts.map(({ length }) => length))).toBeLessThanOrEqual(maxBytes);
      for (const cut of cuts) expect(Buffer.from(cut.toString()).equals(cut)).toBe(true);
    }
});

it("a line that began before the offset has no time", () => {
  expect(Buffer.concat(cutAll(["one\ntwo"], { from: 1 })).toString()).toBe("ne\n2026-03-01T12:00:00.000Z two");
});

it("a piece without a time has that of the start of its job, or of its build", () => {
  const build = { createdAt: t0, startedAt: after(1), jobs: [{ startedAt: after(2) }, {}] };
  expect(arrivedAt(build, { job: 0, at: after(9) })).toEqual(after(9));
  expect(arrivedAt(build, { job: 0 })).toEqual(after(2));
  expect(arrivedAt(build, { job: 1 })).toEqual(after(1));
  expect(arrivedAt(build, {})).toEqual(after(1));
  expect(arrivedAt({ createdAt: t0, jobs: [] }, {})).toEqual(t0);
});
