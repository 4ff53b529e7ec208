import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline as connect, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { Document } from "mongodb";

/** A collection in a backup: how to make it, and how to know that its file is whole. */
export interface SavedCollection {
  readonly name: string;
  readonly options: Document;
  readonly indexes: readonly Document[];
  readonly documents: number;
  /** Of the compressed file, lower-case hex. */
  readonly sha256: string;
}

/** What `manifest.json` of a backup says. It is written last: a folder without it is no backup. */
export interface Manifest {
  readonly format: 1;
  /** The moment that all records are of. */
  readonly at: string;
  /** By service. */
  readonly services: Readonly<Record<string, readonly SavedCollection[]>>;
}

export const manifestFile = (dir: string): string => join(dir, "manifest.json");

/** The documents of a collection one after the other, each as BSON has it, compressed: what `mongodump --gzip` writes. */
export const collectionFile = (dir: string, service: string, name: string): string =>
  join(dir, service, `${name}.bson.gz`);

/** A stream that lets bytes pass and knows their hash in the end. */
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

/** Writes documents to a new file that only its owner may read; in memory are a few at a time. */
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
  await pipeline(counted, createGzip({ level: 1 }), through, createWriteStream(path, { flags: "wx", mode: 0o600 }));
  return { documents: count, sha256: hex() };
}

/** The SHA-256 of a file, lower-case hex. */
export async function hashOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return hash.digest("hex");
}

const lengthBytes = 4;

/** The documents of a file, one by one. */
export async function* readDocuments(path: string): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let has = 0;
  const takeAll = (): Buffer => {
    const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    parts = [];
    return all;
  };
  let wants = lengthBytes;
  // Whatever goes wrong with the file is thrown by the last of them.
  const plain = connect(createReadStream(path), createGunzip(), () => undefined);
  for await (const bytes of plain) {
    parts.push(bytes);
    has += bytes.length;
    // Put together only once there is enough: a document comes in many pieces.
    while (has >= wants) {
      const all = takeAll();
      const sizeBytes = all.readInt32LE(0);
      if (sizeBytes <= lengthBytes) throw new Error(`${path} holds something that is no document`);
      wants = sizeBytes;
      if (has >= sizeBytes) {
        yield all.subarray(0, sizeBytes);
        wants = lengthBytes;
        has -= sizeBytes;
        if (has > 0) parts.push(all.subarray(sizeBytes));
      } else parts.push(all);
    }
  }
  if (has > 0) throw new Error(`${path} ends in the middle of a document`);
}
