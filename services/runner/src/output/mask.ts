import { searchBase64 } from "./base64.js";
import { jsonDecoder, percentDecoder } from "./encodings.js";
import { searchEncoded, searchPlain } from "./search.js";
import type { Secrets } from "./secrets.js";

export interface Mask {
  /** Returns the text so far, without an end that may start a word. */
  write(bytes: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

const shown = Buffer.from("xxxxxx");

/** A hidden range; `told` once its xxxxxx is in the output. */
interface Hidden {
  from: number;
  to: number;
  told: boolean;
}

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

/** Replaces words by `xxxxxx`, also across chunks, in linear time. Overlapping words are hidden whole. */
export function createMask({ words, encoded, spaced }: Secrets): Mask {
  if (words.empty) return passThrough;
  const searches = [searchPlain(words)];
  if (!encoded.empty)
    searches.push(searchEncoded(jsonDecoder, encoded), searchEncoded(percentDecoder, spaced), searchBase64(encoded));
  let hidden: Hidden[] = [];
  let held: Uint8Array = Buffer.alloc(0);
  let room: Uint8Array = Buffer.alloc(0);
  let heldFrom = 0;
  let position = 0;

  /** Returns the text before `safe`. A range that reaches beyond it stays open, because it may grow. */
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

  /** Adds bytes to those that are held, which are copied only when they have doubled. */
  function hold(bytes: Uint8Array): void {
    if (held.buffer !== room.buffer || bytes.length > room.length) {
      const whole = Buffer.allocUnsafeSlow(2 * (held.length + bytes.length));
      whole.set(held);
      [held, room] = [whole.subarray(0, held.length), whole.subarray(held.length)];
    }
    room.set(bytes);
    held = Buffer.from(held.buffer, held.byteOffset, held.length + bytes.length);
    room = room.subarray(bytes.length);
  }

  const found = (from: number, to: number) => void hidden.push({ from, to, told: false });

  return {
    write(bytes) {
      if (held.length > 0) hold(bytes);
      else held = bytes;
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
