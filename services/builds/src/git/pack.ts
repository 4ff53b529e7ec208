import { createHash } from "node:crypto";
import { inflateSync } from "node:zlib";

/** One object of a repository. */
export interface GitObject {
  readonly type: "commit" | "tree" | "blob" | "tag";
  readonly data: Buffer;
}

export type HashName = "sha1" | "sha256";

/** An object as a pack holds it: whole, or as what changes about another one. */
interface Entry {
  readonly offset: number;
  readonly type?: GitObject["type"];
  readonly data: Buffer;
  /** Offset or id of the other one. */
  readonly base?: number | string;
}

const types: Readonly<Record<number, GitObject["type"]>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };
const offsetDelta = 6;
const idDelta = 7;

const malformed = () => new Error("malformed pack");

/** Reads numbers and pieces from a buffer, one after another. Throws past the end. */
function cursor(bytes: Buffer, start = 0) {
  let at = start;
  const byte = (): number => {
    if (at >= bytes.length) throw malformed();
    return bytes[at++]!;
  };
  return {
    byte,
    at: () => at,
    ended: () => at >= bytes.length,
    take(count: number): Buffer {
      if (at + count > bytes.length) throw malformed();
      at += count;
      return bytes.subarray(at - count, at);
    },
    /** Seven bits a byte, the lowest first. */
    size(): number {
      let value = 0;
      for (let factor = 1; ; factor *= 128) {
        const next = byte();
        value += (next & 127) * factor;
        if (next < 128) return value;
        if (factor > 2 ** 42) throw malformed();
      }
    },
  };
}
type Cursor = ReturnType<typeof cursor>;

/** What zlib makes of the bytes at the cursor, which is then behind them. */
function inflate(pack: Buffer, from: Cursor, sizeBytes: number): Buffer {
  const rest = pack.subarray(from.at());
  const options = { info: true, maxOutputLength: Math.max(1, sizeBytes), chunkSize: Math.max(64, sizeBytes) };
  const { buffer, engine } = inflateSync(rest, options) as unknown as {
    buffer: Buffer;
    engine: { bytesWritten: number };
  };
  if (buffer.length !== sizeBytes) throw malformed();
  from.take(engine.bytesWritten);
  return buffer;
}

/** How far back another entry lies: seven bits a byte, the highest first, each further byte counting from one. */
function distance(from: Cursor): number {
  let next = from.byte();
  let value = next & 127;
  while (next >= 128) {
    if (value > 2 ** 40) throw malformed();
    next = from.byte();
    value = (value + 1) * 128 + (next & 127);
  }
  return value;
}

function entry(pack: Buffer, from: Cursor, idBytes: number, leftBytes: number): Entry {
  const offset = from.at();
  const first = from.byte();
  const kind = (first >> 4) & 7;
  // Four bits of the size come with the kind.
  const sizeBytes = (first & 15) + (first >= 128 ? from.size() * 16 : 0);
  if (sizeBytes > leftBytes) throw new Error("repository too large");
  let base: Entry["base"];
  if (kind === offsetDelta) base = offset - distance(from);
  else if (kind === idDelta) base = from.take(idBytes).toString("hex");
  else if (!types[kind]) throw malformed();
  return { offset, type: types[kind], base, data: inflate(pack, from, sizeBytes) };
}

/** An object from another one and what changes: pieces of the other, and bytes of its own. */
export function applyDelta(base: Buffer, delta: Buffer, mostBytes: number): Buffer {
  const from = cursor(delta);
  if (from.size() !== base.length) throw malformed();
  const sizeBytes = from.size();
  if (sizeBytes > mostBytes) throw new Error("repository too large");
  const parts: Buffer[] = [];
  let madeBytes = 0;
  while (!from.ended()) {
    const part = piece(from, base);
    parts.push(part);
    madeBytes += part.length;
    if (madeBytes > sizeBytes) throw malformed();
  }
  if (madeBytes !== sizeBytes) throw malformed();
  return Buffer.concat(parts);
}

function piece(from: Cursor, base: Buffer): Buffer {
  const what = from.byte();
  if (what === 0) throw malformed();
  if (what < 128) return from.take(what);
  const number = (bits: number): number => {
    let value = 0;
    for (let bit = 0; bit < bits; bit++)
      if (what & (1 << (bit + (bits === 4 ? 0 : 4)))) value += from.byte() * 256 ** bit;
    return value;
  };
  const start = number(4);
  const length = number(3) || 0x10000;
  if (start + length > base.length) throw malformed();
  return base.subarray(start, start + length);
}

const nameOf = ({ type, data }: GitObject, hash: HashName): string =>
  createHash(hash).update(`${type} ${data.length}\0`).update(data).digest("hex");

/**
 * The objects of a pack by their ids, which are computed, so that nothing passes for what it is not. Throws for a
 * malformed pack, and for one whose objects have more than `mostBytes` together.
 */
export function readPack(pack: Buffer, hash: HashName, mostBytes: number): Map<string, GitObject> {
  const from = cursor(pack);
  if (from.take(4).toString() !== "PACK" || from.take(4).readUInt32BE() !== 2) throw malformed();
  const count = from.take(4).readUInt32BE();
  const byOffset = new Map<number, GitObject>();
  const byId = new Map<string, GitObject>();
  let leftBytes = mostBytes;
  const keep = (offset: number, object: GitObject) => {
    byOffset.set(offset, object);
    byId.set(nameOf(object, hash), object);
  };
  let waiting: Entry[] = [];
  for (let n = 0; n < count; n++) {
    const one = entry(pack, from, hash === "sha1" ? 20 : 32, leftBytes);
    leftBytes -= one.data.length;
    if (one.type) keep(one.offset, { type: one.type, data: one.data });
    else waiting.push(one);
  }
  // An object may be told as a change of one that comes later.
  while (waiting.length > 0) {
    const still = waiting.filter(({ offset, base, data }) => {
      const other = typeof base === "number" ? byOffset.get(base) : byId.get(base!);
      if (!other) return true;
      const made = applyDelta(other.data, data, leftBytes);
      leftBytes -= made.length;
      keep(offset, { type: other.type, data: made });
      return false;
    });
    if (still.length === waiting.length) throw malformed();
    waiting = still;
  }
  return byId;
}
