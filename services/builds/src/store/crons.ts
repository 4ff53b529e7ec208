import type { OutboxEvent } from "@ci/kit/mongo/document";
import { listPage, reachableFilters } from "@ci/kit/mongo/listing";
import { duplicateKey } from "@ci/kit/mongo/mongo";
import type { Nudge } from "@ci/kit/mongo/outbox";
import { searchFilter, termsOf } from "@ci/kit/mongo/search";
import type { Db, Filter, UpdateFilter } from "mongodb";
import type { CronChange, CronDoc } from "../domain/cron.js";

const live = { deletedAt: { $exists: false } } as const;

/** How many cron jobs are looked after at a time. */
export const cronBatch = 50;

function selected(of: { userId: number; rootIds: readonly number[] }, search: string): Filter<CronDoc>[] {
  const like = { ...live, ...searchFilter("name", search) };
  return reachableFilters<CronDoc>({ userId: of.userId, ...like }, of.rootIds, (rootIds) => ({
    rootId: { $in: rootIds },
    ...like,
  }));
}

/** What a document is after a change. */
const changed = (was: CronDoc, set: CronChange): CronDoc =>
  Object.fromEntries(
    Object.entries({ ...was, ...set, rev: was.rev + 1 }).filter(([, value]) => value !== undefined),
  ) as unknown as CronDoc;

function asUpdate(was: CronDoc, given: CronChange, event: OutboxEvent | undefined): UpdateFilter<CronDoc> {
  const set = given.name === undefined ? given : { ...given, terms: termsOf([given.name]) };
  const removed = Object.entries(set).filter(([, value]) => value === undefined);
  return {
    $set: { ...set, rev: was.rev + 1 },
    ...(removed.length > 0 ? { $unset: Object.fromEntries(removed.map(([key]) => [key, true])) as never } : {}),
    ...(event ? { $push: { outbox: event } } : {}),
  };
}

/** The cron jobs. What is written tells `news` that the document may have events to relay. */
export const cronStore = (db: Db, news: Nudge) => {
  const crons = db.collection<CronDoc>("crons");

  return {
    get: (id: number): Promise<CronDoc | null> => crons.findOne({ _id: id, ...live }),

    /** Whether a cron job of this name is in a scope, other than the one with this id. */
    has: async (scope: string, name: string, besides?: number): Promise<boolean> => {
      const found = await crons.findOne({ scope, name }, { projection: { _id: 1 } });
      return found !== null && found._id !== besides;
    },

    /** Stores a new cron job with its event. False when its name is taken in its scope. */
    async insert(doc: CronDoc): Promise<boolean> {
      try {
        await crons.insertOne({ ...doc, terms: termsOf([doc.name]) });
      } catch (error) {
        if (duplicateKey(error)) return false;
        throw error;
      }
      news(crons as never, doc._id, doc.outbox[0]);
      return true;
    },

    /**
     * Changes a cron job that still is as it was read; null when it is not. `eventOf` makes the event from the record
     * as the change leaves it. Throws a duplicate key when its name is taken where it goes.
     */
    async change(was: CronDoc, set: CronChange, eventOf?: (doc: CronDoc) => OutboxEvent): Promise<CronDoc | null> {
      const doc = changed(was, set);
      const event = eventOf?.(doc);
      const { matchedCount } = await crons.updateOne(
        { _id: was._id, rev: was.rev, ...live },
        asUpdate(was, set, event),
      );
      if (matchedCount === 0) return null;
      if (event) news(crons as never, was._id);
      return doc;
    },

    /** All of a user and of these trees, by name. */
    list: (of: { userId: number; rootIds: readonly number[] }, search: string, number: number | undefined) =>
      listPage(crons, selected(of, search), { name: 1, _id: 1 }, number),

    /** Those that are to be looked after, the one that has waited longest first. */
    waking: (now: Date): Promise<CronDoc[]> =>
      crons
        .find({ wakeAt: { $lte: now } })
        .sort({ wakeAt: 1 })
        .limit(cronBatch)
        .toArray(),

    /** Some of a scope. */
    inScope: (scope: string): Promise<CronDoc[]> => crons.find({ scope }).limit(cronBatch).toArray(),

    /** Some of a user, wherever they are. */
    ofUser: (userId: number): Promise<CronDoc[]> =>
      crons
        .find({ userId, ...live })
        .limit(cronBatch)
        .toArray(),
  };
};

export type CronStore = ReturnType<typeof cronStore>;
