import type { Automaton } from "./automaton.js";
import type { Decoder, Emit } from "./encodings.js";

export type Found = (from: number, to: number) => void;

/** Looks for words in a stream. Positions count the bytes of the stream. */
export interface Search {
  /** Takes more bytes; `found` is told each part of the stream in which a word stands, the longest that ends there. */
  read(bytes: Uint8Array, found: Found): void;
  /** Says that no more bytes come. */
  end?(found: Found): void;
  /** Where the text starts that is not decided yet. */
  open(): number;
}

/** Finds words as they are. */
export function searchPlain({ start, step, depth, matched }: Automaton): Search {
  let state = start;
  let position = 0;
  return {
    read(bytes, found) {
      for (let at = 0; at < bytes.length; at++) {
        state = step(state, bytes[at]!);
        position++;
        const length = matched(state);
        if (length > 0) found(position - length, position);
      }
    },
    open: () => position - depth(state),
  };
}

/** One way to read a text, from a certain place on. */
interface Lane {
  readonly reading: Decoder;
  state: number;
  /** How many bytes have been read. */
  count: number;
  /** Where the last of them start, as many as the longest word has. */
  readonly starts: number[];
  readonly emit: Emit;
}

/** Of so many at a time nearly all end at once: what they have read begins no word. */
const maxLanes = 16;

/**
 * Finds words that are written in another way. A word may begin inside of what looks like an escape, behind a stray
 * backslash for instance, so wherever an escape is being read the text is read from there on as well.
 */
export function searchEncoded(open: () => Decoder, { start, step, depth, matched, longest }: Automaton): Search {
  let found: Found = () => undefined;
  const main = newLane();
  let others: Lane[] = [];
  let position = 0;

  function newLane(): Lane {
    const emit: Emit = (read, from, to) => {
      lane.starts[lane.count % longest] = from;
      lane.count++;
      lane.state = step(lane.state, read);
      const length = matched(lane.state);
      if (length > 0) found(startOf(lane, length), to);
    };
    const lane: Lane = { reading: open(), state: start, count: 0, starts: [], emit };
    return lane;
  }

  const startOf = ({ starts, count }: Lane, length: number) => starts[(count - length) % longest]!;
  const isAlive = ({ reading, state }: Lane) => depth(state) > 0 || reading.open() >= 0;

  function openOf(lane: Lane): number {
    const held = depth(lane.state);
    if (held > 0) return startOf(lane, held);
    const begun = lane.reading.open();
    return begun >= 0 ? begun : position;
  }

  const { begin, plain } = main.reading;

  function next(byte: number): void {
    const isInEscape = main.reading.open() >= 0;
    // Most of a text begins neither a word nor an escape.
    if (main.state === start && !isInEscape && others.length === 0 && byte !== begin) {
      if (step(start, plain(byte)) === start) {
        position++;
        return;
      }
    }
    main.reading.take(byte, position, main.emit);
    if (others.length > 0 || isInEscape) {
      if (isInEscape && others.length < maxLanes) others.push(newLane());
      for (const lane of others) lane.reading.take(byte, position, lane.emit);
      others = others.filter(isAlive);
    }
    position++;
  }

  return {
    read(bytes, tell) {
      found = tell;
      for (let at = 0; at < bytes.length; at++) next(bytes[at]!);
    },
    end(tell) {
      found = tell;
      for (const lane of [main, ...others]) lane.reading.end(lane.emit);
    },
    open: () => others.reduce((least, lane) => Math.min(least, openOf(lane)), openOf(main)),
  };
}
