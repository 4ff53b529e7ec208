import type { Automaton } from "./automaton.js";

/** Looks for words in a stream. Positions count the bytes of the stream. */
export interface Search {
  /** Takes one more byte; answers where the longest word that ends with it starts, -1 if there is none. */
  next(byte: number): number;
  /** Where the text starts that is not decided yet. */
  open(): number;
}

/** Finds words as they are. */
export function plainly({ start, step, depth, matched }: Automaton): Search {
  let state = start;
  let position = 0;
  return {
    next(byte) {
      state = step(state, byte);
      position++;
      const length = matched(state);
      return length === 0 ? -1 : position - length;
    },
    open: () => position - depth(state),
  };
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** The alphabet for URLs has two other characters. */
const standard = Uint8Array.from({ length: 256 }, (_, byte) => ({ 45: 0x2b, 95: 0x2f })[byte] ?? byte);
/** Fewer characters before a line break are shown: else every other line would wait for the next one. */
const fewest = 4;

/** A line break inside of what may be a word: what was read before it, without breaks, and where it lies. */
interface Break {
  readonly count: number;
  readonly from: number;
  to: number;
}

/**
 * Finds words of base64, in the standard alphabet, in text of either alphabet and of any line length: programs break
 * such text at 64 or 76 characters, wherever the word may lie. A single break is passed over; two end the text.
 */
export function acrossLines({ start, step, depth, matched }: Automaton): Search {
  let state = start;
  let position = 0;
  let count = 0;
  let before = 0;
  let breaks: Break[] = [];

  /** Where the last characters start, this many of them. */
  function startOf(length: number): number {
    const inside = breaks.filter((one) => one.count > count - length);
    const first = inside[0];
    if (first && first.count - (count - length) < fewest) return first.to;
    return inside.reduce((at, { from, to }) => at - (to - from), position - length);
  }

  function giveUp(): void {
    state = start;
    breaks = [];
  }

  function passOver(byte: number): void {
    const pair = before === carriageReturn && byte === lineFeed;
    if (pair && breaks.length > 0) breaks.at(-1)!.to = position;
    else if (before === lineFeed || before === carriageReturn) giveUp();
    else if (state !== start) breaks.push({ count, from: position - 1, to: position });
  }

  function take(byte: number): number {
    if (before === carriageReturn) giveUp();
    state = step(state, standard[byte]!);
    count++;
    if (breaks.length > 0) breaks = breaks.filter((one) => one.count > count - depth(state));
    const length = matched(state);
    return length === 0 ? -1 : startOf(length);
  }

  return {
    next(byte) {
      position++;
      const isBreak = byte === lineFeed || byte === carriageReturn;
      const found = isBreak ? -1 : take(byte);
      if (isBreak) passOver(byte);
      before = byte;
      return found;
    },
    open: () => startOf(depth(state)),
  };
}
