import { createHash } from "node:crypto";
import { MongoClient } from "mongodb";

export interface Contents {
  readonly documents: number;
  /** Over the bytes of all documents, in order of ids. */
  readonly sha256: string;
  /** As JSON, sorted. */
  readonly indexes: readonly string[];
}

/** Describes all collections of the databases with this prefix. */
export async function contentsOf(mongoUrl: string, prefix: string): Promise<Record<string, Contents>> {
  const client = await MongoClient.connect(mongoUrl);
  try {
    const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
    const found: Record<string, Contents> = {};
    for (const { name } of databases.filter((one) => one.name.startsWith(prefix)))
      for (const collection of await client.db(name).collections()) {
        const hash = createHash("sha256");
        let documents = 0;
        for await (const one of collection.find({}, { raw: true, hint: { _id: 1 } })) {
          hash.update(one as unknown as Uint8Array);
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

/** Creates a collection, and its database. */
export async function makeCollection(mongoUrl: string, database: string, name: string): Promise<void> {
  const client = await MongoClient.connect(mongoUrl);
  await client.db(database).createCollection(name);
  await client.close();
}

export async function dropDatabase(mongoUrl: string, database: string): Promise<void> {
  const client = await MongoClient.connect(mongoUrl);
  await client.db(database).dropDatabase();
  await client.close();
}
