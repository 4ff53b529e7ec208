import { openMongo } from "@ci/kit/mongo/mongo";
import type { Suite } from "@ci/testkit/suite";
import type { Db } from "mongodb";
import type { BuildDoc } from "../../src/domain/build.js";

/** Opens the database of a suite's builds service for the tests of a file. */
export function database(names: Suite): { readonly db: Db } {
  const opened = {} as { db: Db };
  let close: () => PromiseLike<void>;
  beforeAll(async () => {
    const mongo = await openMongo(names.mongoUrl, `${names.mongoDb}_builds`);
    opened.db = mongo.db;
    close = () => mongo[Symbol.asyncDispose]();
  });
  afterAll(() => close());
  return opened;
}

const firstId = 1_000_000;
let copied = 0;

/** Returns the stored document of a build. */
export async function storedBuild(db: Db, id: number): Promise<BuildDoc> {
  const doc = await db.collection<BuildDoc>("builds").findOne({ _id: id });
  if (!doc) throw new Error(`No build ${id}`);
  return doc;
}

/** Stores copies of a build, as if its user or these users in turn had submitted them. `differ` changes the nth copy. */
export async function crowd(
  db: Db,
  build: BuildDoc,
  count: number,
  userIds = [build.userId],
  differ: (n: number) => Partial<BuildDoc> = () => ({}),
): Promise<BuildDoc[]> {
  const copies = Array.from({ length: count }, (_, index) => {
    copied++;
    const userId = userIds[index % userIds.length]!;
    return {
      ...build,
      _id: firstId + copied,
      number: firstId + copied,
      userId,
      ownerId: userId,
      outbox: [],
      ...differ(index),
    };
  });
  await db.collection<BuildDoc>("builds").insertMany(copies, { writeConcern: { w: 1, journal: false } });
  return copies;
}
