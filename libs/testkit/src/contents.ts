import { createHash } from "node:crypto";
import { MongoClient } from "mongodb";

export interface Contents {
  readonly documents: number;
  /** The hash of all documents in order of their ids. */
  readonly sha256: string;
  readonly indexes: readonly string[];
}

/** Describes all collections of the databases with this prefix. */
export async function contentsOf(mongoUrl: string, prefix: string): Promise<Record<string, Contents>> {
  const client = await MongoClient.connect(mongoUrl);
  try {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    const found: Record<string, Contents> = {};
    for (const { name } of databases.filter((document) => document.name.startsWith(prefix)))
      for (const collection of await client.db(name).collections()) {
        const hash = createHash("sha256");
        let documents = 0;
        for await (const document of collection.find({}, { raw: true, hint: { _id: 1 } })) {
          hash.update(document as unknown as Uint8Array);
          documents++;
        }
        const indexes = (await collection.listIndexes().toArray()).map((index) => JSON.stringify(index)).sort();
        const key = `${name.slice(prefix.length)}.${collection.collectionName}`;
        found[key] = { documents, sha256: hash.digest("hex"), indexes };
      }
    return found;
  } finally {
    await client.close();
  }
}

export async function makeCollection(mongoUrl: string, database: string, name: string): Promise<void> {
  const client = await MongoClient.connect(mongoUrl);
  await client.db(database).createCollection(name);
  await client.close();
}

export async function insertDocuments(
  mongoUrl: string,
  database: string,
  name: string,
  documents: readonly { _id: number }[],
): Promise<void> {
  const client = await MongoClient.connect(mongoUrl);
  await client.db(database).collection<{ _id: number }>(name).insertMany(documents);
  await client.close();
}

export async function dropDatabase(mongoUrl: string, database: string): Promise<void> {
  const client = await MongoClient.connect(mongoUrl);
  await client.db(database).dropDatabase();
  await client.close();
}
