import { type Collection, type Db, type Document, MongoServerError } from "mongodb";

/** What a collection needs that an older version has written. */
export interface Migration {
  /** Unique in its database, and never used again for another. */
  readonly name: string;
  readonly collection: string;
  readonly fills?: Backfill;
  /** Names of indexes that are dropped when nobody asks for them any more. */
  readonly retires?: readonly string[];
}

/** What its documents lack. */
export interface Backfill {
  /** The fields that `missing` reads; a document is written only while they are what was read. */
  readonly reads: readonly string[];
  /** The fields to set, or nothing when the document is as this version writes it. Pure. */
  missing(doc: Document): Document | undefined;
}

/** How far a migration has come. Ids are integers from 1. */
interface Progress {
  _id: string;
  /** The last document that the walk under way has seen. */
  lastId: number;
  /** When the first walk was over. */
  walkedAt?: Date;
  /** When the second was: the migration is over. */
  doneAt?: Date;
}

type Numbered = Document & { _id: number };

const batchDocuments = 200;
/** So long after the first walk no process of the old version writes any more. */
const rollOutMs = 3_600_000;

/** One document, unless somebody has changed it since it was read: answers whether it is as it should be. */
async function mend(documents: Collection<Numbered>, { reads, missing }: Backfill, doc: Numbered): Promise<boolean> {
  const set = missing(doc);
  if (!set) return true;
  const still = Object.fromEntries(reads.map((field) => [field, doc[field] ?? null]));
  const { matchedCount } = await documents.updateOne({ ...still, _id: doc._id }, { $set: set });
  return matchedCount > 0;
}

/** A few documents behind `lastId`; answers the last one that is as it should be, and whether there are no more. */
async function walk(db: Db, { collection, fills }: Migration, lastId: number) {
  if (!fills) return { lastId, over: true };
  const documents = db.collection<Numbered>(collection);
  const projection = Object.fromEntries(fills.reads.map((field) => [field, 1]));
  const found = documents
    .find({ _id: { $gt: lastId } }, { projection })
    .sort({ _id: 1 })
    .limit(batchDocuments);
  const docs = await found.toArray();
  let seen = lastId;
  for (const doc of docs) {
    // Read again in the next pass, and mended as it is then.
    if (!(await mend(documents, fills, doc))) return { lastId: seen, over: false };
    seen = doc._id;
  }
  return { lastId: seen, over: docs.length < batchDocuments };
}

/** Indexes that only the old version asked for; another replica may have been quicker. */
async function retire(db: Db, { collection, retires = [] }: Migration): Promise<void> {
  for (const name of retires)
    await db
      .collection(collection)
      .dropIndex(name)
      .catch((error) => {
        if (!(error instanceof MongoServerError && error.codeName === "IndexNotFound")) throw error;
      });
}

/**
 * One step of a migration; answers whether there is more to do now. All documents are walked in order of ids, and once
 * more an hour later, because during a roll-out processes of the old version go on writing. Nobody waits for it.
 * Harmless when interrupted, repeated, or done by several replicas at once.
 */
export async function migrate(db: Db, migration: Migration, now: Date): Promise<boolean> {
  const progress = db.collection<Progress>("migrations");
  const { name } = migration;
  const at = await progress.findOneAndUpdate(
    { _id: name },
    { $setOnInsert: { lastId: 0 } },
    { upsert: true, returnDocument: "after" },
  );
  if (!at || at.doneAt || (at.walkedAt && now.getTime() - at.walkedAt.getTime() < rollOutMs)) return false;
  const { lastId, over } = await walk(db, migration, at.lastId);
  if (over && at.walkedAt) await retire(db, migration);
  const next = at.walkedAt ? { doneAt: now } : { walkedAt: now, lastId: 0 };
  // Another replica may have come further: then its word counts.
  await progress.updateOne({ _id: name, lastId: at.lastId }, { $set: over ? next : { lastId } });
  return !over;
}

/** Takes migrations as far as they can be taken now, one after another, or until the signal fires. */
export async function migrateAll(db: Db, migrations: readonly Migration[], signal: AbortSignal): Promise<void> {
  for (const migration of migrations) while (!signal.aborted && (await migrate(db, migration, new Date())));
}
