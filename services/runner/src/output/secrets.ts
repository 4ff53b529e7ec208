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

const linesOf = (value: string, shortest: number): string[] => {
  const lines = value.split("\n").map((line) => line.replace(/\r$/, ""));
  return lines.length > 1 ? lines.filter((line) => [...line].length >= shortest) : [];
};

const bodyOf = (privateKey: string): string[] =>
  linesOf(privateKey, shortestKeyLine).filter((line) => !line.startsWith("-----"));

/** A value as it is, and as `$(...)` yields it, without trailing line breaks. */
function asUsed(value: string): string[] {
  const cut = value.replace(/[\r\n]+$/, "");
  return [...(value === "" ? [] : [value]), ...([...cut].length >= shortestLine ? [cut] : [])];
}

/** How shells quote a value in traces (`set -x`), without the outer quotes. */
function inTraces(value: string): string[] {
  if (!value.includes("'")) return [];
  const inDoubleQuotes = value.replace(/'+/g, (quotes) => `'"${quotes}"'`);
  return [value.replaceAll("'", "'\\''"), inDoubleQuotes.replace(/'$/, "")];
}

const wordsOf = (words: readonly string[]): Automaton =>
  automaton([...new Set(words)].map((word) => Buffer.from(word)));

/** Returns what a build's output must not contain: masked values, keys and their lines. */
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
