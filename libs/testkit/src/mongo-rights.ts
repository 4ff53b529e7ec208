import { type Db, MongoClient, MongoServerError } from "mongodb";

/** The collection that these operations use. */
const records = "records";

/** What a client may try on a database. `own` is another one, which it may use. */
const operations: Readonly<Record<string, (db: Db, own: Db) => Promise<unknown>>> = {
  find: (db) => db.collection(records).findOne({}),
  count: (db) => db.collection(records).countDocuments(),
  aggregate: (db) => db.collection(records).aggregate([]).toArray(),
  insert: (db) => db.collection(records).insertOne({}),
  update: (db) => db.collection(records).updateMany({}, { $set: { seen: true } }),
  "find and update": (db) => db.collection(records).findOneAndUpdate({}, { $set: { seen: true } }),
  delete: (db) => db.collection(records).deleteMany({}),
  drop: (db) => db.dropCollection(records),
  rename: (db) => db.renameCollection(records, "others"),
  "drop the database": (db) => db.dropDatabase(),
  "create a collection": (db) => db.createCollection("others"),
  "create an index": (db) => db.collection(records).createIndex({ at: 1 }),
  "drop an index": (db) => db.collection(records).dropIndex("at_1"),
  "list indexes": (db) => db.collection(records).listIndexes().toArray(),
  "list collections": (db) => db.listCollections().toArray(),
  "create a view": (db) => db.createCollection("view", { viewOn: records, pipeline: [] }),
  "change validation": (db) => db.command({ collMod: records, validationLevel: "off" }),
  statistics: (db) => db.stats(),
  profile: (db) => db.command({ profile: 2 }),
  "create a user": (db) => db.command({ createUser: "mallory", pwd: "m", roles: [] }),
  "list users": (db) => db.command({ usersInfo: 1 }),
  "write results ($out)": (db, own) => written(own, { $out: { db: db.databaseName, coll: records } }),
  "write results ($merge)": (db, own) => written(own, { $merge: { into: { db: db.databaseName, coll: records } } }),
  "move a collection": (db, own) =>
    own.admin().command({ renameCollection: `${own.databaseName}.${records}`, to: `${db.databaseName}.others` }),
};

/** What only an administrator of the server may do. */
const ofTheServer: Readonly<Record<string, (db: Db) => Promise<unknown>>> = {
  shutdown: (db) => db.command({ shutdown: 1 }),
  parameters: (db) => db.command({ getParameter: "*" }),
  log: (db) => db.command({ getLog: "global" }),
  "operations of others": (db) => db.command({ currentOp: 1 }),
  "status of the server": (db) => db.command({ serverStatus: 1 }),
  "other rights": (db) => db.command({ grantRolesToUser: "ci_builds", roles: ["root"] }),
};

const written = (from: Db, stage: object) =>
  from
    .collection(records)
    .aggregate([stage as { $out: string }])
    .toArray();

const unauthorized = 13;

/** Returns the operations that the server did not deny, and what it said. */
async function notDenied(attempts: readonly (readonly [string, () => Promise<unknown>])[]): Promise<string[]> {
  const others: string[] = [];
  for (const [name, attempt] of attempts) {
    const outcome = await attempt().then(
      () => "done",
      (error) => (error instanceof MongoServerError && error.code === unauthorized ? undefined : `${error}`),
    );
    if (outcome) others.push(`${name}: ${outcome}`);
  }
  return others;
}

async function connected<T>(url: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(url, { serverSelectionTimeoutMS: 10_000 });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** A user of MongoDB, as its URL says, and what it may do. */
export const mongoUser = (url: string) => ({
  /** Puts a record into a database. */
  put: (database: string, record: object): Promise<void> =>
    connected(
      url,
      async (client) =>
        void (await client
          .db(database)
          .collection(records)
          .insertOne({ ...record })),
    ),
  /** Returns all records of a database. */
  recordsIn: (database: string): Promise<object[]> =>
    connected(url, (client) =>
      client
        .db(database)
        .collection(records)
        .find({}, { projection: { _id: 0 } })
        .toArray(),
    ),
  /** Tries everything with a database, and returns what was not denied. `own` is the user's own database. */
  mayDoWith: (database: string, own: string): Promise<string[]> =>
    connected(url, (client) =>
      notDenied(
        Object.entries(operations).map(([name, run]) => [name, () => run(client.db(database), client.db(own))]),
      ),
    ),
  /** Tries what only administrators of the server may do, and returns what was not denied. */
  mayAdministrate: (): Promise<string[]> =>
    connected(url, (client) =>
      notDenied(Object.entries(ofTheServer).map(([name, run]) => [name, () => run(client.db("admin"))])),
    ),
  /** Returns the names of the databases that the user sees. */
  databases: (): Promise<string[]> =>
    connected(url, async (client) => {
      const { databases } = await client.db().admin().listDatabases({ nameOnly: true });
      return databases.map(({ name }) => name);
    }),
  /** Does what services do with their own database. */
  useAsService: (database: string): Promise<void> =>
    connected(url, async (client) => {
      const own = client.db(database).collection("own");
      await own.createIndexes([{ key: { at: 1 }, name: "at_1" }]);
      await own.insertMany([{ at: 1 }, { at: 2 }]);
      await own.updateOne({ at: 1 }, { $set: { at: 3 } });
      await own.findOneAndUpdate({ at: 2 }, { $inc: { at: 5 } });
      await own.aggregate([{ $match: { at: 3 } }]).toArray();
      await own.dropIndex("at_1");
      await own.deleteMany({});
    }),
});
