import { promisify } from "node:util";
import { inflate, inflateSync } from "node:zlib";
import { type Cursor, malformed } from "./cursor.js";
import type { GitObject } from "./pack.js";
import { type Budget, spend } from "./pack-limits.js";

/** An entry of a pack: a whole object, or a delta against another one. */
export interface Entry {
  readonly offset: number;
  readonly type?: GitObject["type"];
  readonly data: Buffer;
  /** The offset or the id of a delta's base object. */
  readonly base?: number | string;
}

const types: Readonly<Record<number, GitObject["type"]>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };
const offsetDelta = 6;
const idDelta = 7;

/** The sizes of an object and of its stream that are decompressed at once. Larger ones leave the event loop. */
const atOnceBytes = 64 * 1024;
const streamAtOnceBytes = 8 * 1024;

const inflateAside = promisify<Buffer, object, unknown>(inflate as never);

interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

function inflateAtOnce(rest: Buffer, options: object): Inflated | undefined {
  try {
    return inflateSync(rest.subarray(0, streamAtOnceBytes), options) as unknown as Inflated;
  } catch (error) {
    const isCut = (error as NodeJS.ErrnoException).code === "Z_BUF_ERROR" && rest.length > streamAtOnceBytes;
    if (isCut) return undefined;
    throw error;
  }
}

/** Decompresses the bytes at the cursor and moves it behind them. */
async function inflated(pack: Buffer, from: Cursor, sizeBytes: number): Promise<Buffer> {
  const rest = pack.subarray(from.at());
  const options = { info: true, maxOutputLength: Math.max(1, sizeBytes), chunkSize: Math.max(64, sizeBytes) };
  const small = sizeBytes <= atOnceBytes ? inflateAtOnce(rest, options) : undefined;
  const { buffer, engine } = small ?? ((await inflateAside(rest, options)) as Inflated);
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

export async function readEntry(pack: Buffer, from: Cursor, idBytes: number, budget: Budget): Promise<Entry> {
  const offset = from.at();
  const first = from.byte();
  const kind = (first >> 4) & 7;
  // The first byte holds the kind and four bits of the size.
  const sizeBytes = (first & 15) + (first >= 128 ? from.size() * 16 : 0);
  spend(budget, sizeBytes);
  let base: Entry["base"];
  if (kind === offsetDelta) base = offset - distance(from);
  else if (kind === idDelta) base = from.take(idBytes).toString("hex");
  else if (!types[kind]) throw malformed();
  return { offset, type: types[kind], base, data: await inflated(pack, from, sizeBytes) };
}
