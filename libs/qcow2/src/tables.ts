import { type Header, unreadable } from "./header.js";

/** Reads so many bytes of a file, or as many as there are. */
export type Read = (offset: number, bytes: number) => Promise<Buffer>;

/** A part of a file. */
export interface Range {
  readonly offset: number;
  readonly bytes: number;
}

/** What a file's header told of its tables: a problem, as words to be put behind its name, or where its metadata is. */
export type Survey = { readonly problem: string } | { readonly metadata: readonly Range[] };

/** `readBytes`: how much a reader may look at who cannot know where it ends. */
type Table = Range & { readonly name: string; readonly mostBytes: number; readonly readBytes?: number };

const MiB = 1024 ** 2;
const smallestClusterBits = 9;
const largestClusterBits = 21;
/** An entry without its id, its name and what else it holds. */
const snapshotBytes = 40;
const longestSnapshotBytes = 132 * 1024;
const bitmapsExtension = 0x23852875;
const encryptionExtension = 0x0537be77;

/**
 * Looks whether a file of this size holds the tables of which its header speaks, and all that they speak of. Its metadata
 * is what has to be read to describe it: not what is on the disk, nor where that is.
 */
export async function survey(header: Header, sizeBytes: number, read: Read): Promise<Survey> {
  const { clusterBits } = header;
  if (clusterBits < smallestClusterBits || clusterBits > largestClusterBits)
    return { problem: unreadable(`clusters of 2^${clusterBits} bytes`) };
  const clusterBytes = 2 ** clusterBits;
  const first = await read(0, clusterBytes);
  const tables = [...tablesOf(header, clusterBytes), ...extensions(first, header.bytes)].filter(
    ({ bytes }) => bytes > 0,
  );
  for (const { name, offset, bytes, mostBytes } of tables) {
    if (bytes > mostBytes) return { problem: unreadable(`its ${name} is too large`) };
    if (offset + bytes > sizeBytes) return { problem: unreadable(`its ${name} lies beyond its end`) };
  }
  if ((await lastUsed(header, clusterBytes, read)) >= sizeBytes)
    return { problem: "is shorter than its metadata says" };
  const ends = (offset: number, bytes: number) => Math.min(bytes, sizeBytes - offset);
  return {
    metadata: [{ offset: 0, bytes: first.length }].concat(
      tables.map(({ offset, bytes, readBytes = bytes }) => ({ offset, bytes: ends(offset, readBytes) })),
    ),
  };
}

// The limits of the first two are QEMU's own.
function tablesOf({ l1, refcounts, snapshots }: Header, clusterBytes: number): Table[] {
  const { count } = snapshots;
  const readBytes = Math.min(count * longestSnapshotBytes, 4 * MiB);
  return [
    { name: "L1 table", offset: l1.offset, bytes: l1.entries * 8, mostBytes: 32 * MiB },
    {
      name: "refcount table",
      offset: refcounts.offset,
      bytes: refcounts.clusters * clusterBytes,
      mostBytes: 8 * MiB,
    },
    { name: "snapshot table", offset: snapshots.offset, bytes: count * snapshotBytes, mostBytes: 4 * MiB, readBytes },
  ];
}

/** What the extensions of a header say to be elsewhere; each is its type, its length, and data in steps of 8 bytes. */
function extensions(first: Buffer, from: number): Table[] {
  const found: Table[] = [];
  for (let at = from; at + 8 <= first.length; ) {
    const [type, bytes] = [first.readUInt32BE(at), first.readUInt32BE(at + 4)];
    if (type === 0) break;
    const data = first.subarray(at + 8, at + 8 + bytes);
    const number = (place: number) => Number(data.readBigUInt64BE(place));
    if (type === bitmapsExtension && data.length >= 24)
      found.push({ name: "bitmap directory", offset: number(16), bytes: number(8), mostBytes: MiB });
    if (type === encryptionExtension && data.length >= 16)
      found.push({ name: "encryption header", offset: number(0), bytes: number(8), mostBytes: 4 * MiB });
    at += 8 + Math.ceil(bytes / 8) * 8;
  }
  return found;
}

/**
 * Where the last cluster begins that counts as used; the file may end within it. The counts of clusters that follow one
 * another are in one block, and where the blocks are says the refcount table.
 */
async function lastUsed({ refcounts }: Header, clusterBytes: number, read: Read): Promise<number> {
  const { offset, clusters, bits } = refcounts;
  const table = await read(offset, clusters * clusterBytes);
  const nth = Math.floor(lastByte(table) / 8);
  if (nth < 0) return -1;
  const blockAt = Number((table.readBigUInt64BE(nth * 8) >> 9n) << 9n);
  const block = await read(blockAt, clusterBytes);
  if (block.length === 0) return blockAt;
  const last = lastByte(block);
  if (last < 0) return -1;
  // Of counts that share a byte the later ones are in its higher bits.
  const inByte = bits < 8 ? Math.floor(Math.log2(block[last]!) / bits) : 0;
  return (nth * ((clusterBytes * 8) / bits) + Math.floor((last * 8) / bits) + inByte) * clusterBytes;
}

/** The place of the last byte that is not 0; below 0 if there is none. */
function lastByte(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at >= 0 && bytes[at] === 0) at--;
  return at;
}
