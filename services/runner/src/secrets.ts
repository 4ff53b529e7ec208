import type { Assignment } from "@ci/proto/builds/v1/queue";
import { type Automaton, automaton } from "./automaton.js";
import { base64Forms, jsonForms, percentForms, shellForms } from "./encodings.js";

/** What must not be shown of a build. */
export interface Secrets {
  /** To be found as they are. */
  readonly words: Automaton;
  /** Base64 in the standard alphabet, to be found in either and across line breaks. */
  readonly base64: Automaton;
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

const formsOf = (value: string): string[] => [value, ...percentForms(value), ...jsonForms(value), ...shellForms(value)];

const wordsOf = (words: readonly string[]): Automaton =>
  automaton([...new Set(words)].map((word) => Buffer.from(word)));

/** Everything that must not leave in the output of a build: its masked values and keys, and their other spellings. */
export function secretsOf({ variables, keys }: Pick<Assignment, "variables" | "keys">): Secrets {
  const values = variables.filter(({ masked }) => masked).map(({ value }) => value);
  const privateKeys = keys.map(({ privateKey }) => privateKey);
  const whole = [...values, ...privateKeys].flatMap(asUsed);
  const lines = [...values.flatMap((value) => linesOf(value, shortestLine)), ...privateKeys.flatMap(bodyOf)];
  return { words: wordsOf([...whole.flatMap(formsOf), ...lines]), base64: wordsOf(whole.flatMap(base64Forms)) };
}
