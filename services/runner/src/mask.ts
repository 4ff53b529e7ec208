import type { Automaton } from "./automaton.js";

/** Hides words in a stream of bytes. */
export interface Mask {
  /** The text so far, without the end that may be the start of a word. */
  write(bytes: Uint8Array): Uint8Array;
  /** What was held back, when nothing more will come. */
  end(): Uint8Array;
}

const shown = Buffer.from("xxxxxx");

/** A part of the text that is hidden, by its positions; `told` once its xxxxxx has been given out. */
interface Hidden {
  from: number;
  to: number;
  told: boolean;
}

/** Adds an occurrence that ends at the end of the text. Occurrences that overlap become one. */
function hide(hidden: Hidden[], from: number, to: number): void {
  const merged: Hidden = { from, to, told: false };
  for (let last = hidden.at(-1); last && last.to > merged.from; last = hidden.at(-1)) {
    hidden.pop();
    merged.from = Math.min(merged.from, last.from);
    merged.told = last.told;
  }
  hidden.push(merged);
}

const passThrough: Mask = { write: (bytes) => bytes, end: () => Buffer.alloc(0) };

/**
 * Replaces each occurrence of a word by `xxxxxx`, also when it is split over chunks. Where words overlap everything
 * that belongs to one of them is hidden. Holds back no more bytes than the longest word has; takes linear time.
 */
export function createMask({ empty, start, step, depth, matched }: Automaton): Mask {
  if (empty) return passThrough;
  const hidden: Hidden[] = [];
  let state = start;
  let held: Uint8Array = Buffer.alloc(0);
  let heldFrom = 0;
  let position = 0;

  /** Gives out the text before `safe`; an occurrence that reaches beyond it stays open, for it may still grow. */
  function giveOut(safe: number): Uint8Array {
    const out: Uint8Array[] = [];
    const text = (from: number, to: number) => held.subarray(from - heldFrom, to - heldFrom);
    let at = heldFrom;
    let done = 0;
    while (at < safe) {
      const next = hidden[done];
      if (!next || next.from >= safe) {
        out.push(text(at, safe));
        at = safe;
        continue;
      }
      if (next.from > at) out.push(text(at, next.from));
      if (!next.told) out.push(shown);
      next.told = true;
      at = Math.min(next.to, safe);
      next.from = at;
      if (next.to <= safe) done++;
    }
    hidden.splice(0, done);
    held = held.subarray(safe - heldFrom);
    heldFrom = safe;
    return Buffer.concat(out);
  }

  return {
    write(bytes) {
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      for (let at = 0; at < bytes.length; at++) {
        state = step(state, bytes[at]!);
        position++;
        const length = matched(state);
        if (length > 0) hide(hidden, position - length, position);
      }
      return giveOut(position - depth(state));
    },
    end() {
      state = start;
      return giveOut(position);
    },
  };
}
