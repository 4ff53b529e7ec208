import { type Header, unreadable } from "./header.js";

export type Read = (offset: number, bytes: number) => Promise<Buffer>;

export interface Range {
  readonly offset: number;
  readonly bytes: number;
}

type Survey = { readonly problem: string } | { readonly metadata: readonly Range[] };

/** `readBytes` is larger than `bytes` if the table's end is unknown. */
type Table = Range & { readonly name: string; readonly maxBytes: number; readonly readBytes?: number };

const MiB = 1024 ** 2;
const minClusterBits = 9;
const maxClusterBits = 21;
/** A snapshot's entry without id, name and extra data. */
const minSnapshotBytes = 40;
const maxSnapshotBytes = 132 * 1024;
const bitmapsExtension = 0x23852875;
const encryptionExtension = 0x0537be77;

/** Checks that the file holds its tables and clusters. Metadata excludes contents and L2 tables, and does not overlap. */
export async function survey(header: Header, sizeBytes: number, read: Read): Promise<Survey> {
  const { clusterBits } = header;
  if (clusterBits < minClusterBits || clusterBits > maxClusterBits)
    return { problem: unreadable(`clusters of 2^${clusterBits} bytes`) };
  const clusterBytes = 2 ** clusterBits;
  const first = await read(0, clusterBytes);
  const extended = extensions(first, header.bytes);
  const repeated = extended.find(({ name }, at) => extended.findIndex((other) => other.name === name) < at);
  if (repeated) return { problem: unreadable(`it has more than one ${repeated.name}`) };
  const tables = [...tablesOf(header, clusterBytes), ...extended].filter(({ bytes }) => bytes > 0);
  for (const { name, offset, bytes, maxBytes } of tables) {
    if (bytes > maxBytes) return { problem: unreadable(`its ${name} is too large`) };
    if (offset + bytes > sizeBytes) return { problem: unreadable(`its ${name} lies beyond its end`) };
  }
  if ((await lastUsed(header, clusterBytes, read)) >= sizeBytes)
    return { problem: "is shorter than its metadata says" };
  const untilEnd = (offset: number, bytes: number) => Math.min(bytes, sizeBytes - offset);
  const ranges = tables.map(({ offset, bytes, readBytes = bytes }) => ({ offset, bytes: untilEnd(offset, readBytes) }));
  return { metadata: merged([{ offset: 0, bytes: first.length }, ...ranges]) };
}

/** Joins ranges that overlap or touch. */
function merged(ranges: readonly Range[]): Range[] {
  const joined: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.offset - b.offset)) {
    const last = joined.at(-1);
    if (!last || range.offset > last.offset + last.bytes) joined.push(range);
    else {
      const end = Math.max(last.offset + last.bytes, range.offset + range.bytes);
      joined[joined.length - 1] = { offset: last.offset, bytes: end - last.offset };
    }
  }
  return joined;
}

// QEMU has the same limits for the first two tables.
function tablesOf({ l1, refcounts, snapshots }: Header, clusterBytes: number): Table[] {
  const { count } = snapshots;
  const readBytes = Math.min(count * maxSnapshotBytes, 4 * MiB);
  return [
    { name: "L1 table", offset: l1.offset, bytes: l1.entries * 8, maxBytes: 32 * MiB },
    {
      name: "refcount table",
      offset: refcounts.offset,
      bytes: refcounts.clusters * clusterBytes,
      maxBytes: 8 * MiB,
    },
    { name: "snapshot table", offset: snapshots.offset, bytes: count * minSnapshotBytes, maxBytes: 4 * MiB, readBytes },
  ];
}

/** Finds the tables of header extensions. An extension has a type, a length, and data padded to 8 bytes. */
function extensions(first: Buffer, from: number): Table[] {
  const found: Table[] = [];
  for (let at = from; at + 8 <= first.length; ) {
    const [type, bytes] = [first.readUInt32BE(at), first.readUInt32BE(at + 4)];
    if (type === 0) break;
    const data = first.subarray(at + 8, at + 8 + bytes);
    const number = (place: number) => Number(data.readBigUInt64BE(place));
    if (type === bitmapsExtension && data.length >= 24)
      found.push({ name: "bitmap directory", offset: number(16), bytes: number(8), maxBytes: MiB });
    if (type === encryptionExtension && data.length >= 16)
      found.push({ name: "encryption header", offset: number(0), bytes: number(8), maxBytes: 4 * MiB });
    at += 8 + Math.ceil(bytes / 8) * 8;
  }
  return found;
}

/** Returns the start of the last used cluster, within which the file may end. */
async function lastUsed({ refcounts }: Header, clusterBytes: number, read: Read): Promise<number> {
  const { offset, clusters, bits } = refcounts;
  const table = await read(offset, clusters * clusterBytes);
  // The table has the offsets of the blocks, and each block has the counts of consecutive clusters.
  const blockIndex = Math.floor(lastNonZero(table) / 8);
  if (blockIndex < 0) return -1;
  const blockOffset = Number((table.readBigUInt64BE(blockIndex * 8) >> 9n) << 9n);
  const block = await read(blockOffset, clusterBytes);
  if (block.length === 0) return blockOffset;
  const last = lastNonZero(block);
  if (last < 0) return -1;
  // Of counts that share a byte, later ones use the higher bits.
  const indexInByte = bits < 8 ? Math.floor(Math.log2(block[last]!) / bits) : 0;
  return (blockIndex * ((clusterBytes * 8) / bits) + Math.floor((last * 8) / bits) + indexInByte) * clusterBytes;
}

function lastNonZero(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at >= 0 && bytes[at] === 0) at--;
  return at;
}
