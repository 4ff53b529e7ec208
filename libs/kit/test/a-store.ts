import { suite } from "@ci/testkit/suite";
import { MongoClient } from "mongodb";
import { blobs } from "../src/bytes/blobs.js";
import { Fault } from "../src/rpc/fault.js";

export const MiB = 1024 * 1024;

/** Returns a test file's own store, which is emptied after each test. */
export const aStore = () => {
  const { mongoUrl, mongoDb } = suite();
  const client = new MongoClient(mongoUrl);
  const db = client.db(mongoDb);
  const store = blobs(db, "things");
  const files = db.collection<{ _id: string }>("things.files");
  beforeAll(() => store.ensureIndexes());
  afterEach(async () => {
    await store.sweep(later(), neverUsed);
    for (const { _id } of await files.find().toArray()) await store.delete(_id);
  });
  afterAll(() => client.close());

  const documentCounts = async () => {
    const counts = ["files", "chunks", "uploads"].map((part) => db.collection(`things.${part}`).countDocuments());
    const [files, chunks, uploads] = await Promise.all(counts);
    return { files, chunks, uploads };
  };

  const read = async (blobId: string, range?: { start?: number; end?: number }) => {
    const parts: Buffer[] = [];
    for await (const part of store.get(blobId, range)) parts.push(part);
    return Buffer.concat(parts);
  };

  return { db, store, documentCounts, read };
};

export const emptyStore = { files: 0, chunks: 0, uploads: 0 };
export const limits = { maxBytes: 100 * MiB, tooLarge: () => new Fault("invalid", "Too large") };
export const later = () => new Date(Date.now() + 60_000);
export const neverUsed = async () => false;

export async function* from(...parts: (string | Uint8Array)[]) {
  for (const part of parts) yield Buffer.from(part);
}

/** Returns a source that stops sending after 2 MiB, and a promise that resolves then. */
export const silentSource = () => {
  let reachSilence = () => {};
  const silent = new Promise<void>((resolve) => {
    reachSilence = resolve;
  });
  async function* source() {
    yield Buffer.alloc(2 * MiB);
    reachSilence();
    await new Promise(() => {});
  }
  return { source, silent };
};
