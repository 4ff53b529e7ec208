import type { Assignment } from "@ci/proto/builds/v1/queue";
import { type Automaton, automaton } from "./automaton.js";
import { spaceOf } from "./encodings.js";

/** What must not be shown of a build. */
export interface Secrets {
  /** To be found as they are; without any of these nothing is hidden. */
  readonly words: Automaton;
  /** To be found in base64 and as JSON writes them. */
  readonly encoded: Automaton;
  /** To be found in percent-encoding, with a space for each `+`. */
  readonly spaced: Automaton;
}

/** Shorter lines of a value say little, and hiding them would blot out ordinary text. */
const shortestLine = 6;
const shortestKeyLine = 16;

const linesOf = (value: string, shortest: number): string[] => {
  const lines = value.split("\n").map((line) => line.replace(/\r$/, ""));
  return lines.length > 1 ? lines.filter((line) => [...line].length >= shortest) : [];
};

const bodyOf = (privateKey: string): string[] =>
  linesOf(privateKey, shortestKeyLine).filter((line) => !line.startsWith("-----"));

/** A value and what `$(...)` makes of it, which has no line break at its end. */
function asUsed(value: string): string[] {
  const cut = value.replace(/[\r\n]+$/, "");
  return [...(value === "" ? [] : [value]), ...([...cut].length >= shortestLine ? [cut] : [])];
}

/** How shells quote a value when they trace commands, as every job does; without the quotes around it. */
function inTraces(value: string): string[] {
  if (!value.includes("'")) return [];
  const inDoubleQuotes = value.replace(/'+/g, (quotes) => `'"${quotes}"'`);
  return [value.replaceAll("'", "'\\''"), inDoubleQuotes.replace(/'$/, "")];
}

const wordsOf = (words: readonly string[]): Automaton =>
  automaton([...new Set(words)].map((word) => Buffer.from(word)));

/** Returns everything that must not leave in the output of a build: its masked values and keys, and lines of them. */
export function secretsOf({ variables, keys }: Pick<Assignment, "variables" | "keys">): Secrets {
  const values = variables.filter(({ masked }) => masked).map(({ value }) => value);
  const privateKeys = keys.map(({ privateKey }) => privateKey);
  const whole = [...values, ...privateKeys].flatMap(asUsed);
  const lines = [...values.flatMap((value) => linesOf(value, shortestLine)), ...privateKeys.flatMap(bodyOf)];
  const all = [...new Set([...whole, ...lines])];
  const traced = all.flatMap(inTraces);
  const encoded = wordsOf(all);
  return {
    words: traced.length === 0 ? encoded : wordsOf([...all, ...traced]),
    encoded,
    spaced: all.some((word) => word.includes("+"))
      ? automaton(all.map((word) => Buffer.from(word).map(spaceOf)))
      : encoded,
  };
}
