import { acrossLines, plainly } from "./search.js";
import type { Secrets } from "./secrets.js";

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
 * that belongs to one of them is hidden. Holds back no more than the longest word with its line breaks has; takes
 * linear time.
 */
export function createMask({ words, base64 }: Secrets): Mask {
  const searches = [...(words.empty ? [] : [plainly(words)]), ...(base64.empty ? [] : [acrossLines(base64)])];
  if (searches.length === 0) return passThrough;
  const hidden: Hidden[] = [];
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
    return out.length === 1 ? out[0]! : Buffer.concat(out);
  }

  return {
    write(bytes) {
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      for (const byte of bytes) {
        position++;
        for (const search of searches) {
          const from = search.next(byte);
          if (from >= 0) hide(hidden, from, position);
        }
      }
      return giveOut(Math.min(...searches.map((search) => search.open())));
    },
    end: () => giveOut(position),
  };
}

/** A whole text with its secrets hidden. */
export function masked(secrets: Secrets, text: string): string {
  const mask = createMask(secrets);
  return Buffer.concat([mask.write(Buffer.from(text)), mask.end()]).toString();
}
