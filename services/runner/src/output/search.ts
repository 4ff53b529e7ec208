import type { Automaton } from "./automaton.js";
import type { Decoder, Emit } from "./encodings.js";

export type Found = (from: number, to: number) => void;

export interface Search {
  /** Calls `found` for each word's range, the longest that ends at a position. */
  read(bytes: Uint8Array, found: Found): void;
  end?(found: Found): void;
  open(): number;
}

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

interface Lane {
  readonly reading: Decoder;
  state: number;
  count: number;
  /** Start positions of the last decoded bytes, as many as the longest word has. */
  readonly starts: number[];
  readonly emit: Emit;
}

/** More never survive: nearly all lanes end at once. */
const maxLanes = 16;

/** Finds words in encoded text. While an escape is open, text is also decoded from there, because it may be no escape after all. */
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
    // Fast path: most text starts neither a word nor an escape.
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
