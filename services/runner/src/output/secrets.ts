import { type Pace, pacer } from "@ci/kit/turns/pacer";
import type { Assignment } from "@ci/proto/builds/v1/queue";
import { type Automaton, automaton } from "./automaton.js";
import { spaceOf } from "./encodings.js";

export interface Secrets {
  /** Searched as they are. If there are none, nothing is hidden. */
  readonly words: Automaton;
  readonly encoded: Automaton;
  /** Searched in percent-encoding, with a space for each `+`. */
  readonly spaced: Automaton;
}

/** Hiding shorter lines would blot out ordinary text. */
const shortestLine = 6;
const shortestKeyLine = 16;

/** Bytes that are prepared before other builds and the renewals of leases get a turn: a few milliseconds. */
const sliceBytes = 16 * 1024;

/** Reports whether a text has this many characters. Each one takes at most two units of a string. */
const isAtLeast = (text: string, characters: number): boolean =>
  text.length >= 2 * characters || [...text].length >= characters;

const linesOf = (value: string, shortest: number): string[] => {
  const lines = value.split("\n").map((line) => line.replace(/\r$/, ""));
  return lines.length > 1 ? lines.filter((line) => isAtLeast(line, shortest)) : [];
};

const bodyOf = (privateKey: string): string[] =>
  linesOf(privateKey, shortestKeyLine).filter((line) => !line.startsWith("-----"));

/** An expression such as /[\r\n]+$/ would take quadratic time. */
function withoutFinalBreaks(value: string): string {
  let end = value.length;
  while (end > 0 && "\r\n".includes(value[end - 1]!)) end--;
  return value.slice(0, end);
}

/** A value as it is, and as `$(...)` yields it, without trailing line breaks. */
function asUsed(value: string): string[] {
  const cut = withoutFinalBreaks(value);
  return [...(value === "" ? [] : [value]), ...(isAtLeast(cut, shortestLine) ? [cut] : [])];
}

const octal = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");

const lettered = new Map(
  Array.from("\\'\x07\b\x1b\f\n\r\t\v", (character, at) => [character, `\\${"\\'abEfnrtv"[at]}`]),
);

/** How bash writes a value in `$'...'`, in UTF-8 and in the C locale, if that cannot be read as JSON. */
function inAnsiC(value: string): string[] {
  if (!/(?![\b\t\n\f\r])[\p{Cc}\P{ASCII}]/u.test(value)) return [];
  const inUtf8 = value.replace(/[\\'\p{Cc}]/gu, (character) => lettered.get(character) ?? octal(character));
  return [inUtf8, inUtf8.replace(/\P{ASCII}+/gu, octal)];
}

function inQuotes(value: string): string[] {
  if (!value.includes("'")) return [];
  const inDoubleQuotes = value.replace(/'+/g, (quotes) => `'"${quotes}"'`);
  return [value.replaceAll("'", "'\\''"), inDoubleQuotes.replace(/'$/, "")];
}

/** How shells quote a value in traces (`set -x`), without the outer quotes. */
const inTraces = (value: string): string[] => [...inQuotes(value), ...inAnsiC(value)];

const wordsOf = (words: Iterable<string>, pace: Pace): Promise<Automaton> =>
  automaton(
    [...new Set(words)].map((word) => Buffer.from(word)),
    pace,
  );

/** Returns each value with its lines, without repetitions, and all of them as traces show them. */
async function spellingsOf({ variables, keys }: Pick<Assignment, "variables" | "keys">, pace: Pace) {
  const plain = new Set<string>();
  const traced: string[] = [];
  const texts = [
    ...variables.filter(({ masked }) => masked).map(({ value }) => ({ value, lines: linesOf(value, shortestLine) })),
    ...keys.map(({ privateKey: value }) => ({ value, lines: bodyOf(value) })),
  ];
  for (const { value, lines } of texts) {
    for (const word of [...asUsed(value), ...lines]) {
      plain.add(word);
      traced.push(...inTraces(word));
    }
    await pace(value.length);
  }
  return { plain: [...plain], traced };
}

/**
 * Returns what a build's output must not contain: masked values, keys and their lines. Works in slices, because large
 * values take a second.
 */
export async function secretsOf(build: Pick<Assignment, "variables" | "keys">): Promise<Secrets> {
  const pace = pacer(sliceBytes);
  const { plain, traced } = await spellingsOf(build, pace);
  const encoded = await wordsOf(plain, pace);
  return {
    words: traced.length === 0 ? encoded : await wordsOf([...plain, ...traced], pace),
    encoded,
    spaced: plain.some((word) => word.includes("+"))
      ? await automaton(
          plain.map((word) => Buffer.from(word).map(spaceOf)),
          pace,
        )
      : encoded,
  };
}
