import { type OutboxEvent, requireOutboxRoom } from "@ci/kit/mongo/document";
import { insertedUnlessTaken } from "@ci/kit/mongo/duplicates";
import { undefinedIn } from "@ci/kit/mongo/expressions";
import { listPage, reachableFilters } from "@ci/kit/mongo/listing";
import { type Nudge, newsOf } from "@ci/kit/mongo/outbox";
import { type CountLimit, countQuota, quotaComplaints, withinQuotas } from "@ci/kit/mongo/quota";
import { searchFilter, termsOf } from "@ci/kit/mongo/search";
import type { Fields } from "@ci/kit/rpc/fault";
import type { Cron } from "@ci/proto/builds/v1/crons";
import type { Db, Filter, UpdateFilter } from "mongodb";
import type { CronChange, CronDoc } from "../domain/cron.js";
import { listed } from "../domain/listed.js";
import { manifestBeginning } from "./shown-builds.js";

const live = { deletedAt: { $exists: false } } as const;

const maxWaking = 50;
const maxWhole = 5;

const recordFields: Readonly<Record<Exclude<keyof Cron, "id" | "manifest">, 1>> = {
  authorId: 1,
  userId: 1,
  namespaceId: 1,
  name: 1,
  schedule: 1,
  expression: 1,
  timezone: 1,
  createdAt: 1,
  prevRun: 1,
  nextRun: 1,
  lastError: 1,
};
const listFields = { ...recordFields, ...manifestBeginning };

function selected(owners: { userId: number; rootIds: readonly number[] }, search: string): Filter<CronDoc>[] {
  const like = { ...live, ...searchFilter("name", search) };
  return reachableFilters<CronDoc>({ userId: owners.userId, ...like }, owners.rootIds, (rootIds) => ({
    rootId: { $in: rootIds },
    ...like,
  }));
}

const applyChange = (was: CronDoc, set: CronChange): CronDoc =>
  Object.fromEntries(
    Object.entries({ ...was, ...set, rev: was.rev + 1 }).filter(([, value]) => value !== undefined),
  ) as unknown as CronDoc;

function toUpdate(was: CronDoc, given: CronChange, event: OutboxEvent | undefined): UpdateFilter<CronDoc> {
  const set = given.name === undefined ? given : { ...given, terms: termsOf([given.name]) };
  const removed = undefinedIn(set);
  return {
    $set: { ...set, rev: was.rev + 1 },
    ...(removed.length > 0 ? { $unset: Object.fromEntries(removed.map((key) => [key, true])) as never } : {}),
    ...(event ? { $push: { outbox: event } } : {}),
  };
}

/** Stores cron jobs. Every write that adds an event calls `nudge`, so that the relay publishes it soon. */
export const cronStore = (db: Db, nudge: Nudge, perUser: CountLimit) => {
  const crons = db.collection<CronDoc>("crons");
  const quotas = (userId: number) => [countQuota(crons, { userId, ...live }, perUser)];

  return {
    get: (id: number): Promise<CronDoc | null> => crons.findOne({ _id: id, ...live }),

    /** Reports whether a scope has a cron job of this name, except the one with this id. */
    has: async (scope: string, name: string, except?: number): Promise<boolean> => {
      const found = await crons.findOne({ scope, name }, { projection: { _id: 1 } });
      return found !== null && found._id !== except;
    },

    quotaComplaints: (userId: number): Promise<Fields> => quotaComplaints(quotas(userId)),

    /** Stores a new cron job with its event; false if its name is taken in its scope. Fault `invalid` beyond a quota. */
    async insert(doc: CronDoc): Promise<boolean> {
      const insert = () => crons.insertOne({ ...doc, terms: termsOf([doc.name]) });
      const isInserted = await insertedUnlessTaken(withinQuotas(db, quotas(doc.userId), doc._id, insert));
      if (isInserted) nudge(crons as never, doc._id, newsOf(doc.outbox));
      return isInserted;
    },

    /**
     * Updates a cron job if it has not changed since it was read; otherwise returns null. Throws `unavailable` if too many
     * of its events wait to be published, except for a deletion.
     */
    async change(was: CronDoc, set: CronChange, eventOf?: (doc: CronDoc) => OutboxEvent): Promise<CronDoc | null> {
      if (eventOf && !set.deletedAt) requireOutboxRoom(was);
      const doc = applyChange(was, set);
      const event = eventOf?.(doc);
      const { matchedCount } = await crons.updateOne(
        { _id: was._id, rev: was.rev, ...live },
        toUpdate(was, set, event),
      );
      if (matchedCount === 0) return null;
      if (event) nudge(crons as never, was._id);
      return doc;
    },

    list: (owners: { userId: number; rootIds: readonly number[] }, search: string, number: number | undefined) =>
      listPage<CronDoc>(crons, selected(owners, search), { name: 1, _id: 1 }, number, {
        fields: listFields,
        shorten: listed,
      }),

    /** Returns the ids of cron jobs that wake up before a time, of none of these users, the longest overdue first. */
    waking: (before: Date, exceptUsers: readonly number[]) =>
      crons
        .find({ wakeAt: { $lte: before }, userId: { $nin: [...exceptUsers] } })
        .project<Pick<CronDoc, "_id" | "userId"> & { readonly wakeAt: Date }>({ userId: 1, wakeAt: 1 })
        .sort({ wakeAt: 1 })
        .limit(maxWaking)
        .toArray(),

    inScope: (scope: string): Promise<CronDoc[]> => crons.find({ scope }).limit(maxWhole).toArray(),

    ofUser: (userId: number): Promise<CronDoc[]> =>
      crons
        .find({ userId, ...live })
        .limit(maxWhole)
        .toArray(),
  };
};

export type CronStore = ReturnType<typeof cronStore>;
