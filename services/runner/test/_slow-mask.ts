import { inJson, inTraces, inUrls, latin1 } from "./_spellings.js";

/** The part of a text from `from` up to, but not including, `to`. */
export interface Span {
  readonly from: number;
  to: number;
}

/** Everything that the output may not show. */
export interface Forbidden {
  /** These are searched in the raw text. */
  readonly words: readonly string[];
  /** These are searched in the decoded text. */
  readonly encoded: readonly string[];
  /** Some of the forbidden spellings. */
  readonly texts: readonly string[];
}

const lengthOf = (line: string) => [...line].length;
const lines = (value: string) => (value.includes("\n") ? value.split("\n").map((line) => line.replace(/\r$/, "")) : []);

/** Implements contract 12.3 independently of the product. */
export function forbidden(values: readonly string[], keys: readonly string[]): Forbidden {
  const trimmed = [...values, ...keys].map((value) => value.replace(/[\r\n]*$/, ""));
  const whole = [...new Set([...values, ...keys, ...trimmed.filter((value) => lengthOf(value) >= 6)])];
  const all = [
    ...whole,
    ...values.flatMap((value) => lines(value).filter((line) => lengthOf(line) >= 6)),
    ...keys.flatMap((key) => lines(key).filter((line) => lengthOf(line) >= 16 && !line.startsWith("-----"))),
  ];
  const texts = all.flatMap((value) => [latin1(value), ...inUrls(value), ...inJson(value), ...inTraces(value)]);
  const encoded = [...new Set(all.map(latin1))];
  const words = [...encoded, ...all.flatMap(inTraces)];
  return { words, encoded, texts: [...new Set(texts)] };
}

function* occurrences(text: string, word: string): Generator<number> {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) yield at;
}

/** Returns base64 in the standard alphabet without single line breaks, and the position and length of each break. */
function joined(wrapped: string): { text: string; breaks: { before: number; length: number }[] } {
  const standard = wrapped.replaceAll("-", "+").replaceAll("_", "/");
  const breaks: { before: number; length: number }[] = [];
  let removed = 0;
  const text = standard.replace(/(?:\r?\n)+/g, (match, at: number) => {
    if (match !== "\n" && match !== "\r\n") return match;
    breaks.push({ before: at - removed, length: match.length });
    removed += match.length;
    return "";
  });
  return { text, breaks };
}

const minCharacters = 4;

/** Finds words in one piece of base64 that `ends` characters `=` follow. Yields positions of characters. */
function* inPiece(piece: string, words: readonly string[], ends: number): Generator<{ first: number; last: number }> {
  for (const phase of [0, 1, 2, 3]) {
    const bytes = Buffer.from("A".repeat(phase) + piece, "base64").toString("latin1");
    for (const word of words)
      for (const at of occurrences(bytes, word)) {
        const first = Math.ceil((8 * at) / 6) - phase;
        const last = Math.ceil((8 * (at + word.length)) / 6) - phase - 1;
        if (8 * at < 6 * phase || last - first + 1 < minCharacters) continue;
        const missing = 3 - ((last + phase) & 3);
        yield { first, last: last + (last === piece.length - 1 ? Math.min(missing, ends) : 0) };
      }
  }
}

function spansOfBase64(wrapped: string, words: readonly string[]): Span[] {
  const spans: Span[] = [];
  const { text, breaks } = joined(wrapped);
  const originalPosition = (at: number) =>
    breaks.reduce((sum, { before, length }) => sum + (before <= at ? length : 0), at);
  for (const { 1: piece, 2: ends, index } of text.matchAll(/([A-Za-z0-9+/]+)(=*)/g))
    for (const match of inPiece(piece!, words, ends!.length)) {
      const [at, last] = [index + match.first, index + match.last];
      const first = breaks.find(({ before }) => before > at && before <= last)?.before;
      // Up to three characters before a line break are shown.
      const from = first !== undefined && first - at < minCharacters ? first : at;
      spans.push({ from: originalPosition(from), to: originalPosition(last) + 1 });
    }
  return spans;
}

const spaces = (text: string) => text.replaceAll("+", " ");
const fromPercent = (unit: string) =>
  unit.length === 3 ? spaces(String.fromCharCode(Number.parseInt(unit.slice(1), 16))) : spaces(unit);
const fromJson = (unit: string) => (unit.length === 1 ? unit : latin1(JSON.parse(`"${unit}"`)));
const percentEscapes = /%[0-9a-f]{2}/iy;
const jsonEscapes =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u(?![dD][89abAB])[0-9a-fA-F]{4}|\\["\\/bfnrt]/y;

/** Finds words in a text whose escapes are decoded, starting at any character. */
function spansRead(text: string, words: readonly string[], escapes: RegExp, read: (unit: string) => string): Span[] {
  const units = Array.from(text, (_, from) => {
    escapes.lastIndex = from;
    const unit = escapes.exec(text)?.[0] ?? text[from]!;
    return { plain: read(unit), to: from + unit.length };
  });
  const endOf = (word: string, from: number): number | undefined => {
    let at = from;
    for (let matched = 0; matched < word.length; ) {
      const unit = units[at];
      if (!unit || !word.startsWith(unit.plain, matched)) return undefined;
      matched += unit.plain.length;
      at = unit.to;
    }
    return at;
  };
  const spans: Span[] = [];
  for (const word of words)
    for (let from = 0; from < units.length; from++) {
      const to = endOf(word, from);
      if (to !== undefined) spans.push({ from, to });
    }
  return spans;
}

/** Returns the parts of a text that must be hidden, with overlaps merged. */
export function hiddenSpans(text: string, { words, encoded }: Forbidden): Span[] {
  const all = spansOfBase64(text, encoded);
  for (const word of words) for (const from of occurrences(text, word)) all.push({ from, to: from + word.length });
  all.push(...spansRead(text, encoded.map(spaces), percentEscapes, fromPercent));
  all.push(...spansRead(text, encoded, jsonEscapes, fromJson));
  all.sort((a, b) => a.from - b.from);
  const merged: Span[] = [];
  for (const span of all) {
    const last = merged.at(-1);
    if (last && span.from < last.to) last.to = Math.max(last.to, span.to);
    else merged.push(span);
  }
  return merged;
}

/** Returns the masked text. */
export function shownOf(text: string, hidden: readonly Span[]): string {
  let out = "";
  let at = 0;
  for (const { from, to } of hidden) {
    out += `${text.slice(at, from)}xxxxxx`;
    at = to;
  }
  return out + text.slice(at);
}

/** Returns the length of the masked text before this position. */
export function shownLength(hidden: readonly Span[], position: number): number {
  let length = 0;
  let at = 0;
  for (const { from, to } of hidden) {
    if (from >= position) break;
    length += from - at + 6;
    at = to;
  }
  return length + Math.max(0, position - at);
}
