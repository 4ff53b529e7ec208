import { readFile } from "node:fs/promises";
import { BSON, type Db, type Document, type IndexDescription, MongoClient, MongoServerError } from "mongodb";
import { collectionFile, hashOf, type Manifest, manifestFile, readDocuments, type SavedCollection } from "./archive.js";
import { collectionsOf, type Databases, type Options, type Saved } from "./backup.js";

const bytesAtATime = 8 * 1024 ** 2;
const documentsAtATime = 1_000;
const alreadyExists = 48;

async function manifestOf(dir: string): Promise<Manifest> {
  const text = await readFile(manifestFile(dir), "utf8").catch(() => undefined);
  if (text === undefined) throw new Error(`${dir} is not a backup, or an interrupted one: it has no manifest.json`);
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== 1) throw new Error(`${dir} was written by another version of this program`);
  return manifest;
}

/** Checks everything before the first change. */
async function check(
  client: MongoClient,
  databases: Databases,
  dir: string,
  { services }: Manifest,
  { replace = false }: Options,
): Promise<void> {
  for (const [service, collections] of Object.entries(services)) {
    const name = databases[service];
    if (!name) throw new Error(`The backup contains ${service}, but no database is named for it`);
    if (collections.length === 0)
      throw new Error(`The backup has no collections of ${service}: it was made from a database that no service used`);
    if (!replace && (await client.db(name).listCollections().toArray()).length > 0)
      throw new Error(
        `The database ${name} is not empty: restore before the services start, or use --replace, which deletes its data`,
      );
    for (const { name: collection, sha256 } of collections) {
      const path = collectionFile(dir, service, collection);
      if ((await hashOf(path)) !== sha256) throw new Error(`${path} is damaged: its checksum does not match`);
    }
  }
}

async function* batches(documents: AsyncIterable<Buffer>): AsyncGenerator<Document[]> {
  let batch: Document[] = [];
  let sizeBytes = 0;
  for await (const one of documents) {
    // Numbers keep their type: a 64-bit integer must not become a double.
    batch.push(BSON.deserialize(one, { promoteValues: false, bsonRegExp: true }));
    sizeBytes += one.length;
    if (sizeBytes < bytesAtATime && batch.length < documentsAtATime) continue;
    yield batch;
    batch = [];
    sizeBytes = 0;
  }
  if (batch.length > 0) yield batch;
}

async function put(db: Db, path: string, { name, options, indexes }: SavedCollection): Promise<void> {
  const collection = await db.createCollection(name, options).catch((error) => {
    if (!(error instanceof MongoServerError && error.code === alreadyExists)) throw error;
    throw new Error(`A service uses ${db.databaseName}: stop all services, and restore again with --replace`);
  });
  for await (const batch of batches(readDocuments(path))) await collection.insertMany(batch);
  const own = indexes.filter((index) => index.name !== "_id_").map(({ v, ns, ...index }) => index as IndexDescription);
  if (own.length > 0) await collection.createIndexes(own);
}

/**
 * Fills databases from a backup: empty ones, or with `replace` any. If a database may not be filled or a file is damaged, it
 * throws before it changes anything. After an interruption, start again with `replace`.
 */
export async function restore(
  mongoUrl: string,
  databases: Databases,
  dir: string,
  options: Options = {},
): Promise<Saved> {
  const manifest = await manifestOf(dir);
  const client = await MongoClient.connect(mongoUrl, { writeConcern: { w: "majority", journal: true } });
  try {
    await check(client, databases, dir, manifest, options);
    if (options.replace)
      for (const service of Object.keys(manifest.services))
        for (const { db, name } of await collectionsOf(client.db(databases[service]!))) await db.dropCollection(name);
    let documents = 0;
    for (const [service, collections] of Object.entries(manifest.services))
      for (const saved of collections) {
        await put(client.db(databases[service]!), collectionFile(dir, service, saved.name), saved);
        documents += saved.documents;
      }
    return { at: new Date(manifest.at), documents };
  } finally {
    await client.close();
  }
}
