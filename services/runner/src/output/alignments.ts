import type { Automaton } from "./automaton.js";

/** Unused bits after the last byte, by the character's place among four. */
const bitsOver = [6, 4, 2, 0] as const;
/** Words of fewer base64 characters occur by chance. */
export const fewest = 4;

/** Returns how many characters belong entirely to the last `length` bytes. */
const charactersOf = (length: number, place: number) => Math.floor((bitsOver[place]! + 8 * length) / 6);

/** Called for each word that ends with the last character: its number of characters, and how many `=` may follow it. */
export type Ends = (characters: number, missing: number) => void;

/** Reads base64 characters at all four alignments, because text may begin anywhere. */
export function readAligned({ start, step, depth, matched, startsWith }: Automaton, ends: Ends) {
  const states = [start, start, start, start];
  let count = 0;
  let last = 0;

  const placeOf = (phase: number) => (count - 1 + phase) & 3;

  function heldBy(phase: number): number {
    const place = placeOf(phase);
    const held = depth(states[phase]!);
    const mayBegin = held > 0 || (place === 0 && startsWith(last << 2));
    return count > 0 && mayBegin ? charactersOf(held, place) : 0;
  }

  return {
    /** The number of characters since the last reset. */
    count: () => count,
    /** How many of the last characters may be the start of a word. */
    held: () => Math.max(heldBy(0), heldBy(1), heldBy(2), heldBy(3)),
    take(sextet: number): void {
      const bits = (last << 6) | sextet;
      last = sextet;
      const earlier = count++;
      if (earlier === 0) return;
      for (let phase = 0; phase < 4; phase++) {
        const place = (earlier + phase) & 3;
        if (place === 0) continue;
        const state = step(states[phase]!, (bits >> bitsOver[place]!) & 0xff);
        states[phase] = state;
        const length = matched(state);
        if (length === 0) continue;
        const characters = charactersOf(length, place);
        if (characters >= fewest) ends(characters, 3 - place);
      }
    },
    reset(): void {
      if (count === 0) return;
      states.fill(start);
      count = 0;
    },
  };
}
