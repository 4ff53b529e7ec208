import { type Collection, type Db, type Document, MongoServerError } from "mongodb";

/** Brings documents that an older version wrote up to date. */
export interface Migration {
  /** Unique in its database, and never reused. */
  readonly name: string;
  readonly collection: string;
  readonly fills?: Backfill;
  readonly retires?: readonly string[];
}

export interface Backfill {
  /** The fields that `missing` reads. A document is updated only if they have not changed since. */
  readonly reads: readonly string[];
  /** Returns the fields to set, or undefined if the document is up to date. Pure. */
  missing(doc: Document): Document | undefined;
}

interface Progress {
  _id: string;
  lastId: number;
  walkedAt?: Date;
  doneAt?: Date;
}

type Numbered = Document & { _id: number };

const batchDocuments = 200;
/** After this time no process of the old version writes any more. */
const rollOutMs = 3_600_000;

/** Updates a document unless it has changed since it was read; returns whether it is up to date. */
async function update(documents: Collection<Numbered>, { reads, missing }: Backfill, doc: Numbered): Promise<boolean> {
  const set = missing(doc);
  if (!set) return true;
  const unchanged = Object.fromEntries(reads.map((field) => [field, doc[field] ?? null]));
  const { matchedCount } = await documents.updateOne({ ...unchanged, _id: doc._id }, { $set: set });
  return matchedCount > 0;
}

/** Updates a few documents after `lastId`; returns the last one done, and whether it was the last of all. */
async function walk(db: Db, { collection, fills }: Migration, lastId: number) {
  if (!fills) return { lastId, ended: true };
  const documents = db.collection<Numbered>(collection);
  const projection = Object.fromEntries(fills.reads.map((field) => [field, 1]));
  const found = documents
    .find({ _id: { $gt: lastId } }, { projection })
    .sort({ _id: 1 })
    .limit(batchDocuments);
  const docs = await found.toArray();
  let last = lastId;
  for (const doc of docs) {
    if (!(await update(documents, fills, doc))) return { lastId: last, ended: false };
    last = doc._id;
  }
  return { lastId: last, ended: docs.length < batchDocuments };
}

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
 * Runs one step of a migration; returns whether more can be done now. Walks all documents, and again an hour later,
 * because old processes still write during a roll-out. Safe to interrupt, to repeat and to run in several replicas.
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
  const { lastId, ended } = await walk(db, migration, at.lastId);
  if (ended && at.walkedAt) await retire(db, migration);
  const next = at.walkedAt ? { doneAt: now } : { walkedAt: now, lastId: 0 };
  // This has no effect if another replica has progressed meanwhile.
  await progress.updateOne({ _id: name, lastId: at.lastId }, { $set: ended ? next : { lastId } });
  return !ended;
}

/** Runs migrations one after another as far as possible now, or until the signal. Returns the number of steps. */
export async function migrateAll(db: Db, migrations: readonly Migration[], signal: AbortSignal): Promise<number> {
  let steps = 0;
  for (const migration of migrations) while (!signal.aborted && (await migrate(db, migration, new Date()))) steps++;
  return steps;
}
