import { type Base64Form, inBase64, inJson, inTraces, inUrls, latin1 } from "./_spellings.js";

/** A part of a text, by its positions; `to` lies behind it. */
export interface Span {
  readonly from: number;
  to: number;
}

/** Everything that may not be shown for these values and keys. */
export interface Forbidden {
  readonly texts: readonly string[];
  readonly base64: readonly Base64Form[];
}

const length = (line: string) => [...line].length;
const lines = (value: string) => (value.includes("\n") ? value.split("\n").map((line) => line.replace(/\r$/, "")) : []);

/** Contract 12.3, told a second time. */
export function forbidden(values: readonly string[], keys: readonly string[]): Forbidden {
  const trimmed = [...values, ...keys].map((value) => value.replace(/[\r\n]*$/, ""));
  const whole = [...new Set([...values, ...keys, ...trimmed.filter((value) => length(value) >= 6)])];
  const texts = [
    ...whole.flatMap((value) => [latin1(value), ...inUrls(value), ...inJson(value), ...inTraces(value)]),
    ...values.flatMap((value) => lines(value).filter((line) => length(line) >= 6)).map(latin1),
    ...keys.flatMap((key) => lines(key).filter((line) => length(line) >= 16 && !line.startsWith("-----"))).map(latin1),
  ];
  return { texts: [...new Set(texts)], base64: whole.flatMap(inBase64) };
}

function* occurrences(text: string, word: string): Generator<number> {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) yield at;
}

/** A text in the standard alphabet, and without its single line breaks: how much stood before each, and its length. */
function joined(given: string): { text: string; breaks: { before: number; length: number }[] } {
  const standard = given.replaceAll("-", "+").replaceAll("_", "/");
  const breaks: { before: number; length: number }[] = [];
  let removed = 0;
  const text = standard.replace(/(?:\r?\n)+/g, (found, at: number) => {
    if (found !== "\n" && found !== "\r\n") return found;
    breaks.push({ before: at - removed, length: found.length });
    removed += found.length;
    return "";
  });
  return { text, breaks };
}

function spansOfBase64(given: string, forms: readonly Base64Form[]): Span[] {
  const spans: Span[] = [];
  const { text, breaks } = joined(given);
  const place = (at: number) => breaks.reduce((sum, { before, length }) => sum + (before <= at ? length : 0), at);
  for (const { whole, ends } of forms)
    for (const at of occurrences(text, whole))
      for (const end of ends) {
        if (!text.startsWith(end, at + whole.length)) continue;
        const last = at + whole.length + end.length - 1;
        const first = breaks.find(({ before }) => before > at && before <= last)?.before;
        // Up to three characters before a line break are shown.
        const from = first !== undefined && first - at < 4 ? first : at;
        spans.push({ from: place(from), to: place(last) + 1 });
      }
  return spans;
}

/** The parts of a text that have to be hidden; those that overlap are one. */
export function hiddenSpans(text: string, { texts, base64 }: Forbidden): Span[] {
  const all = spansOfBase64(text, base64);
  for (const word of texts) for (const from of occurrences(text, word)) all.push({ from, to: from + word.length });
  all.sort((a, b) => a.from - b.from);
  const merged: Span[] = [];
  for (const span of all) {
    const last = merged.at(-1);
    if (last && span.from < last.to) last.to = Math.max(last.to, span.to);
    else merged.push(span);
  }
  return merged;
}

/** What is shown of a text. */
export function shownOf(text: string, hidden: readonly Span[]): string {
  let out = "";
  let at = 0;
  for (const { from, to } of hidden) {
    out += `${text.slice(at, from)}xxxxxx`;
    at = to;
  }
  return out + text.slice(at);
}

/** How long that is for the text before a place. */
export function shownLength(hidden: readonly Span[], place: number): number {
  let length = 0;
  let at = 0;
  for (const { from, to } of hidden) {
    if (from >= place) break;
    length += from - at + 6;
    at = to;
  }
  return length + Math.max(0, place - at);
}
