import fc from "fast-check";
import { trackBreaks } from "./line-breaks.js";

const fewest = 4;

/** Finds the start of the last `length` characters of a text in which `-` is a line break. */
function startSlowly(text: string, length: number): number {
  let at = text.length;
  for (let left = length; left > 0; at--) if (text[at - 1] !== "-") left--;
  const before = /^[^-]*/.exec(text.slice(at))![0].length;
  return before < length && before < fewest ? at + before + /-+/.exec(text.slice(at))![0].length : at;
}

test("finds where characters begin, whatever has been forgotten", () => {
  const line = fc.record({ characters: fc.integer({ min: 1, max: 6 }), long: fc.boolean(), keep: fc.nat(12) });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 30 }), (lines) => {
      const breaks = trackBreaks(fewest);
      let text = "";
      let count = 0;
      let kept = 0;
      for (const { characters, long, keep } of lines) {
        text += "x".repeat(characters);
        count += characters;
        kept = Math.min(keep, kept + characters);
        breaks.trim(count - kept);
        for (let length = 1; length <= kept; length++)
          expect(breaks.startOf(length, count, text.length)).toBe(startSlowly(text, length));
        if (kept === 0) continue;
        breaks.add(count, text.length);
        text += "-";
        if (!long) continue;
        text += "-";
        breaks.extend(text.length);
      }
    }),
    { numRuns: 300 },
  );
});

test("forgetting one break after the other does not move the rest each time", async () => {
  const breaks = trackBreaks(fewest);
  const many = 1_000_000;
  const before = process.cpuUsage();
  for (let count = 1; count <= many; count++) breaks.add(count, count);
  for (let count = 1; count < many; count++) {
    breaks.trim(count);
    if (count % 1_000 === 0) await new Promise(setImmediate);
  }
  expect(breaks.startOf(8, many + 2, 2 * many + 3)).toBe(2 * many - 6);
  expect(process.cpuUsage(before).user).toBeLessThan(20_000_000);
});
