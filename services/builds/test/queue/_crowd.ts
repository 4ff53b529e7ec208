import { openMongo } from "@ci/kit/mongo/mongo";
import type { Suite } from "@ci/testkit/suite";
import type { Db } from "mongodb";
import type { BuildDoc } from "../../src/domain/build.js";

/** The database of the builds service of a suite, for this file's tests. */
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
let made = 0;

/** A build as it is stored, to be copied. */
export async function stored(db: Db, id: number): Promise<BuildDoc> {
  const doc = await db.collection<BuildDoc>("builds").findOne({ _id: id });
  if (!doc) throw new Error(`No build ${id}`);
  return doc;
}

/** Stores copies of a queued build, as if its user had submitted it so many times more, or these users in turn. */
export async function crowd(db: Db, like: BuildDoc, count: number, userIds = [like.userId]): Promise<BuildDoc[]> {
  const copies = Array.from({ length: count }, (_, index) => {
    made++;
    const userId = userIds[index % userIds.length]!;
    return { ...like, _id: firstId + made, number: firstId + made, userId, ownerId: userId, outbox: [] };
  });
  await db.collection<BuildDoc>("builds").insertMany(copies, { writeConcern: { w: 1, journal: false } });
  return copies;
}
