import { mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { refuseUnused } from "@ci/kit/mongo/unused";
import {
  BSON,
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  type FindOptions,
  MongoClient,
  type MongoServerError,
} from "mongodb";
import {
  collectionFile,
  flushFolder,
  type Manifest,
  manifestFile,
  readDocuments,
  type SavedCollection,
  writeDocuments,
} from "./archive.js";

/** The database of each service. */
export type Databases = Readonly<Record<string, string>>;

/** Reports whether a collection holds content. It never changes and is the largest part, so the snapshot omits it. */
const isContent = (name: string): boolean => name.endsWith(".chunks");

type Snapshot = Pick<FindOptions, "session" | "readConcern">;

const notAReplicaSet = 123;

/** Returns options with which all reads see this moment, or none if MongoDB runs alone: it has no snapshots then. */
async function startSnapshot(db: Db, session: ClientSession): Promise<Snapshot> {
  const snapshot: Snapshot = { session, readConcern: { level: "snapshot" } };
  try {
    await db.collection("migrations").findOne({}, { ...snapshot, hint: { _id: 1 } });
    return snapshot;
  } catch (error) {
    if ((error as MongoServerError).code === notAReplicaSet) return {};
    throw error;
  }
}

/** Yields all documents as raw BSON, in order of ids, since a server may forbid reads without an index. */
async function* rawDocuments(collection: Collection, snapshot: Snapshot): AsyncGenerator<Uint8Array> {
  const found = collection.find({}, { ...snapshot, raw: true, hint: { _id: 1 }, batchSize: 1_000 });
  for await (const one of found) yield one as unknown as Uint8Array;
}

/** Yields the content of the files in the snapshot, and of no others. */
async function* rawContent(chunks: Collection, filesPath: string, gone: () => void): AsyncGenerator<Uint8Array> {
  for await (const one of readDocuments(filesPath)) {
    const { _id, length, chunkSize } = BSON.deserialize(one);
    const options = { raw: true, batchSize: 8, readConcern: { level: "majority" } } as const;
    const found = chunks.find({ files_id: _id }, { ...options, sort: { files_id: 1, n: 1 } });
    let count = 0;
    for await (const chunk of found) {
      count++;
      yield chunk as unknown as Uint8Array;
    }
    if (count < Math.ceil(length / chunkSize)) gone();
  }
}

async function* nothing(): AsyncGenerator<never> {}

interface Source {
  readonly db: Db;
  readonly name: string;
  readonly options?: Document;
}

async function save(
  dir: string,
  service: string,
  { db, name, options = {} }: Source,
  documents: AsyncIterable<Uint8Array>,
): Promise<SavedCollection> {
  const indexes = await db.collection(name).listIndexes().toArray();
  return { name, options, indexes, ...(await writeDocuments(collectionFile(dir, service, name), documents)) };
}

/** Returns the collections of a database, without those of MongoDB itself. */
export async function collectionsOf(db: Db): Promise<Source[]> {
  const all = await db.listCollections({ type: "collection" }, { nameOnly: false }).toArray();
  const own = all.filter(({ name }) => !name.startsWith("system."));
  return own.map((info) => ({ db, name: info.name, options: "options" in info ? info.options : undefined }));
}

async function emptyFolder(dir: string): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if ((await readdir(dir)).length > 0) throw new Error(`${dir} is not empty: a backup needs an empty folder`);
}

export interface Options {
  /** Whether a restore deletes what the databases contain. Otherwise they must be empty. */
  readonly replace?: boolean;
}

/** The result of a backup or restore. */
export interface Saved {
  readonly at: Date;
  readonly documents: number;
  /** Stored files that were deleted while they were being read. */
  readonly gone?: number;
  /** Whether a backup is from one moment. It is not if MongoDB runs alone and services write meanwhile. */
  readonly snapshot?: boolean;
}

/**
 * Writes the databases to an empty folder while the services run. If MongoDB is a replica set, all records are from the
 * moment when this begins. Content is read afterwards, so that of a file that is deleted meanwhile may be missing. MongoDB
 * keeps a moment for 5 minutes (`minSnapshotHistoryWindowInSeconds`): this throws if reading the records takes longer.
 */
export async function backup(mongoUrl: string, databases: Databases, dir: string): Promise<Saved> {
  await emptyFolder(dir);
  const client = await MongoClient.connect(mongoUrl);
  try {
    for (const name of Object.values(databases)) await refuseUnused(client.db(name));
    await using session = client.startSession({ snapshot: true });
    const at = new Date();
    const snapshot = await startSnapshot(client.db(Object.values(databases)[0]), session);
    let gone = 0;
    const services: Record<string, SavedCollection[]> = {};
    const contents: (() => Promise<void>)[] = [];
    for (const [service, name] of Object.entries(databases)) {
      const db = client.db(name);
      const saved: SavedCollection[] = [];
      services[service] = saved;
      await mkdir(dirname(collectionFile(dir, service, "any")), { mode: 0o700 });
      const all = await collectionsOf(db);
      const names = new Set(all.map((one) => one.name));
      const contentOf = (collection: string) => {
        const files = collection.replace(/chunks$/, "files");
        // If nothing was ever stored, only the collection of chunks exists.
        if (!names.has(files)) return nothing();
        return rawContent(db.collection(collection), collectionFile(dir, service, files), () => gone++);
      };
      for (const one of all)
        if (isContent(one.name))
          contents.push(async () => void saved.push(await save(dir, service, one, contentOf(one.name))));
        else saved.push(await save(dir, service, one, rawDocuments(db.collection(one.name), snapshot)));
    }
    for (const saveContent of contents) await saveContent();
    const manifest: Manifest = { format: 1, at: at.toISOString(), services };
    for (const service of Object.keys(services)) await flushFolder(join(dir, service));
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    await writeFile(`${manifestFile(dir)}.part`, text, { mode: 0o600, flush: true });
    await rename(`${manifestFile(dir)}.part`, manifestFile(dir));
    await flushFolder(dir);
    const all = Object.values(services).flat();
    return {
      at,
      documents: all.reduce((sum, { documents }) => sum + documents, 0),
      gone,
      snapshot: Boolean(snapshot.session),
    };
  } finally {
    await client.close();
  }
}
