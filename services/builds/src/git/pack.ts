import { createHash } from "node:crypto";
import { inflateSync } from "node:zlib";

export interface GitObject {
  readonly type: "commit" | "tree" | "blob" | "tag";
  readonly data: Buffer;
}

export type HashName = "sha1" | "sha256";

/** An entry of a pack: a whole object, or a delta against another one. */
interface Entry {
  readonly offset: number;
  readonly type?: GitObject["type"];
  readonly data: Buffer;
  /** Of a delta: the offset or the id of the other object. */
  readonly base?: number | string;
}

const types: Readonly<Record<number, GitObject["type"]>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };
const offsetDelta = 6;
const idDelta = 7;

const malformed = () => new Error("malformed pack");

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

/** Decompresses the bytes at the cursor and moves it behind them. */
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

/** Reads a backward distance: seven bits per byte, the highest first, and each further byte adds one. */
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
  // The first byte holds the kind and four bits of the size.
  const sizeBytes = (first & 15) + (first >= 128 ? from.size() * 16 : 0);
  if (sizeBytes > leftBytes) throw new Error("repository too large");
  let base: Entry["base"];
  if (kind === offsetDelta) base = offset - distance(from);
  else if (kind === idDelta) base = from.take(idBytes).toString("hex");
  else if (!types[kind]) throw malformed();
  return { offset, type: types[kind], base, data: inflate(pack, from, sizeBytes) };
}

export function applyDelta(base: Buffer, delta: Buffer, maxBytes: number): Buffer {
  const from = cursor(delta);
  if (from.size() !== base.length) throw malformed();
  const sizeBytes = from.size();
  if (sizeBytes > maxBytes) throw new Error("repository too large");
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

/** Reads one instruction of a delta: copy from the base, or insert new bytes. */
function piece(from: Cursor, base: Buffer): Buffer {
  const opcode = from.byte();
  if (opcode === 0) throw malformed();
  if (opcode < 128) return from.take(opcode);
  const number = (bits: number): number => {
    let value = 0;
    for (let bit = 0; bit < bits; bit++)
      if (opcode & (1 << (bit + (bits === 4 ? 0 : 4)))) value += from.byte() * 256 ** bit;
    return value;
  };
  const start = number(4);
  const length = number(3) || 0x10000;
  if (start + length > base.length) throw malformed();
  return base.subarray(start, start + length);
}

const idOf = ({ type, data }: GitObject, hash: HashName): string =>
  createHash(hash).update(`${type} ${data.length}\0`).update(data).digest("hex");

/** Reads all objects. Computes their ids, so a server cannot forge one. Throws if they exceed `maxBytes` together. */
export function readPack(pack: Buffer, hash: HashName, maxBytes: number): Map<string, GitObject> {
  const from = cursor(pack);
  if (from.take(4).toString() !== "PACK" || from.take(4).readUInt32BE() !== 2) throw malformed();
  const count = from.take(4).readUInt32BE();
  const byOffset = new Map<number, GitObject>();
  const byId = new Map<string, GitObject>();
  let leftBytes = maxBytes;
  const keep = (offset: number, object: GitObject) => {
    byOffset.set(offset, object);
    byId.set(idOf(object, hash), object);
  };
  let waiting: Entry[] = [];
  for (let n = 0; n < count; n++) {
    const one = entry(pack, from, hash === "sha1" ? 20 : 32, leftBytes);
    leftBytes -= one.data.length;
    if (one.type) keep(one.offset, { type: one.type, data: one.data });
    else waiting.push(one);
  }
  // The base of a delta may come later in the pack.
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
