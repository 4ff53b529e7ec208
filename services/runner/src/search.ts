import type { Automaton } from "./automaton.js";
import type { Reading } from "./readings.js";

/** Looks for words in a stream. Positions count the bytes of the stream. */
export interface Search {
  /** Takes one more byte; `found` is told the part of the stream in which a word stands, the longest that ends there. */
  next(byte: number, found: (from: number, to: number) => void): void;
  /** Where the text starts that is not decided yet. */
  open(): number;
}

/** Finds words as they are. */
export function plainly({ start, step, depth, matched }: Automaton): Search {
  let state = start;
  let position = 0;
  return {
    next(byte, found) {
      state = step(state, byte);
      position++;
      const length = matched(state);
      if (length > 0) found(position - length, position);
    },
    open: () => position - depth(state),
  };
}

/** One way to read a text, from a certain place on. */
interface Lane {
  readonly reading: Reading;
  state: number;
  /** How many bytes have been read. */
  count: number;
  /** Where the last of them start, as many as the longest word has. */
  readonly starts: number[];
}

/** Of so many at a time nearly all end at once: what they have read begins no word. */
const mostLanes = 16;

/**
 * Finds words that are written in another way. A word may begin inside of what looks like an escape, behind a stray
 * backslash for instance, so wherever an escape is being read the text is read from there on as well.
 */
export function readAs(open: () => Reading, { start, step, depth, matched, longest }: Automaton): Search {
  const newLane = (): Lane => ({ reading: open(), state: start, count: 0, starts: [] });
  const main = newLane();
  let others: Lane[] = [];
  let position = 0;

  const startOf = ({ starts, count }: Lane, length: number) => starts[(count - length) % longest]!;
  const isAlive = ({ reading, state }: Lane) => depth(state) > 0 || reading.open() >= 0;

  function take(lane: Lane, byte: number, found: (from: number, to: number) => void): void {
    lane.reading.take(byte, position, (read, from, to) => {
      lane.starts[lane.count % longest] = from;
      lane.count++;
      lane.state = step(lane.state, read);
      const length = matched(lane.state);
      if (length > 0) found(startOf(lane, length), to);
    });
  }

  function openOf(lane: Lane): number {
    const held = depth(lane.state);
    if (held > 0) return startOf(lane, held);
    const escape = lane.reading.open();
    return escape >= 0 ? escape : position;
  }

  return {
    next(byte, found) {
      const isInEscape = main.reading.open() >= 0;
      take(main, byte, found);
      if (others.length > 0 || isInEscape) {
        if (isInEscape && others.length < mostLanes) others.push(newLane());
        for (const lane of others) take(lane, byte, found);
        others = others.filter(isAlive);
      }
      position++;
    },
    open: () => others.reduce((least, lane) => Math.min(least, openOf(lane)), openOf(main)),
  };
}
