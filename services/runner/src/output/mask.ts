import { searchBase64 } from "./base64.js";
import { jsonDecoder, percentDecoder } from "./encodings.js";
import { searchEncoded, searchPlain } from "./search.js";
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

/** Puts occurrences in order; those that overlap become one. */
function inOrder(all: Hidden[]): Hidden[] {
  all.sort((a, b) => a.from - b.from);
  const apart: Hidden[] = [];
  for (const one of all) {
    const last = apart.at(-1);
    if (!last || one.from >= last.to) {
      apart.push(one);
      continue;
    }
    last.to = Math.max(last.to, one.to);
    last.told ||= one.told;
  }
  return apart;
}

const passThrough: Mask = { write: (bytes) => bytes, end: () => Buffer.alloc(0) };

/**
 * Replaces each occurrence of a word by `xxxxxx`, also when it is split over chunks. Where words overlap everything
 * that belongs to one of them is hidden. Holds back no more than the longest word may have in its longest spelling; takes
 * linear time.
 */
export function createMask({ words, encoded, spaced }: Secrets): Mask {
  if (words.empty) return passThrough;
  const searches = [searchPlain(words)];
  if (!encoded.empty)
    searches.push(searchEncoded(jsonDecoder, encoded), searchEncoded(percentDecoder, spaced), searchBase64(encoded));
  let hidden: Hidden[] = [];
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

  const found = (from: number, to: number) => void hidden.push({ from, to, told: false });

  return {
    write(bytes) {
      held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      position += bytes.length;
      for (const search of searches) search.read(bytes, found);
      hidden = inOrder(hidden);
      return giveOut(Math.min(...searches.map((search) => search.open())));
    },
    end() {
      for (const search of searches) search.end?.(found);
      hidden = inOrder(hidden);
      return giveOut(position);
    },
  };
}

/** Returns a whole text with its secrets hidden. */
export function masked(secrets: Secrets, text: string): string {
  const mask = createMask(secrets);
  return Buffer.concat([mask.write(Buffer.from(text)), mask.end()]).toString();
}
