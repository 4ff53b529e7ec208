import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { pipeline as connect, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Document } from "mongodb";

/** A collection in a backup: how to create it, and the checksum of its file. */
export interface SavedCollection {
  readonly name: string;
  readonly options: Document;
  readonly indexes: readonly Document[];
  readonly documents: number;
  /** Of the compressed file, in lower-case hex. */
  readonly sha256: string;
}

/** The `manifest.json` of a backup. It is written last: a folder without it is not a backup. */
export interface Manifest {
  readonly format: 1;
  /** The moment of all records. */
  readonly at: string;
  /** By service. */
  readonly services: Readonly<Record<string, readonly SavedCollection[]>>;
}

export const manifestFile = (dir: string): string => join(dir, "manifest.json");

/** Returns the path of a collection's file: its BSON documents in sequence, compressed as `mongodump --gzip` does. */
export const collectionFile = (dir: string, service: string, name: string): string =>
  join(dir, service, `${name}.bson.gz`);

/** Returns a stream that passes bytes through and computes their hash. */
function hashing(): { through: Transform; hex(): string } {
  const hash = createHash("sha256");
  const through = new Transform({
    transform(bytes, _encoding, done) {
      hash.update(bytes);
      done(null, bytes);
    },
  });
  return { through, hex: () => hash.digest("hex") };
}

/** Writes documents to a new file that only its owner may read. Keeps only a few in memory. */
export async function writeDocuments(
  path: string,
  documents: AsyncIterable<Uint8Array>,
): Promise<Pick<SavedCollection, "documents" | "sha256">> {
  let count = 0;
  const counted = async function* () {
    for await (const one of documents) {
      count++;
      yield one;
    }
  };
  const { through, hex } = hashing();
  const file = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
  await pipeline(counted, createGzip({ level: 1 }), through, file);
  return { documents: count, sha256: hex() };
}

/** Makes the names in a folder survive a loss of power. */
export async function flushFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}

/** Returns the SHA-256 of a file in lower-case hex. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return hash.digest("hex");
}

const lengthBytes = 4;

/** Yields the documents of a file. */
export async function* readDocuments(path: string): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let available = 0;
  const takeAll = (): Buffer => {
    const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    parts = [];
    return all;
  };
  let wanted = lengthBytes;
  // Errors of the file are thrown by the last stream.
  const plain = connect(createReadStream(path), createGunzip(), () => undefined);
  for await (const bytes of plain) {
    parts.push(bytes);
    available += bytes.length;
    // Concatenate only when a document is complete: it may arrive in many pieces.
    while (available >= wanted) {
      const all = takeAll();
      const sizeBytes = all.readInt32LE(0);
      if (sizeBytes <= lengthBytes) throw new Error(`${path} contains something that is not a document`);
      wanted = sizeBytes;
      if (available >= sizeBytes) {
        yield all.subarray(0, sizeBytes);
        wanted = lengthBytes;
        available -= sizeBytes;
        if (available > 0) parts.push(all.subarray(sizeBytes));
      } else parts.push(all);
    }
  }
  if (available > 0) throw new Error(`${path} ends in the middle of a document`);
}
