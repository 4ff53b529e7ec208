import { randomUUID } from "node:crypto";
import type { Collection, Db, Document, Filter } from "mongodb";
import type { Fields } from "../rpc/fault.js";
import { complain } from "../rpc/validated.js";
import { duplicateKey, ensureIndexes } from "./mongo.js";

/** A limit on what a holder, such as a user, may store. It measures the records, so it is exact after every deletion. */
export interface Quota {
  /** Names the limit and its holder. */
  readonly key: string;
  /** 0 means no limit. */
  readonly max: number;
  /** What the new record takes of it. */
  readonly amount: number;
  /** Returns what the holder's records take, without those that have one of these ids. */
  used(except: readonly unknown[]): Promise<number>;
  complaints(used: number): Fields;
}

/** `records` names them in the answer: `Cron jobs cannot exceed 1000 per user`. */
export interface CountLimit {
  readonly records: string;
  readonly per: "user" | "namespace";
  readonly max: number;
}

export const countComplaint = ({ records, per, max }: Omit<CountLimit, "max"> & { max: number | string }): string =>
  `${records} cannot exceed ${max} per ${per}`;

/** Without ids, an index alone answers the query. */
export const without = <T extends Document>(matching: Filter<T>, ids: readonly unknown[]): Filter<T> =>
  ids.length === 0 ? matching : ({ ...matching, _id: { $nin: ids } } as Filter<T>);

/** Limits how many records match. Reads an index of `matching`, up to the limit. */
export const countQuota = <T extends Document>(
  collection: Collection<T>,
  matching: Filter<T>,
  limit: CountLimit,
  amount = 1,
): Quota => ({
  key: `${collection.collectionName}/${JSON.stringify(matching)}`,
  max: limit.max,
  amount,
  used: (except) => collection.countDocuments(without(matching, except), { limit: limit.max }),
  complaints: () => ({ [limit.records.toLowerCase().replaceAll(" ", "_")]: [countComplaint(limit)] }),
});

const isOn = ({ max }: Quota): boolean => max > 0;

/** Returns what to answer if the new record exceeds a quota now. Others may be stored before it. */
export async function quotaComplaints(quotas: readonly Quota[]): Promise<Fields> {
  const complaintsOf = async (quota: Quota) => {
    const used = await quota.used([]);
    return used + quota.amount > quota.max ? quota.complaints(used) : {};
  };
  return Object.assign({}, ...(await Promise.all(quotas.filter(isOn).map(complaintsOf))));
}

/** A record that is about to be stored. */
interface Hold {
  readonly id: unknown;
  readonly key: string;
  readonly amount: number;
  readonly until: Date;
}

/** The records that are about to be stored for one holder, in the order in which they count. */
interface HoldsDoc {
  readonly _id: string;
  readonly holds: readonly Hold[];
  readonly until: Date;
}

/** How long the record of a process that died counts although it was not stored. */
const holdMs = 60_000;

/** Holds last for moments, so they need not survive the loss of a primary. */
const holdsIn = (db: Db) => db.collection<HoldsDoc>("quotaHolds", { writeConcern: { w: 1 } });

export const ensureQuotas = (db: Db): Promise<void> =>
  ensureIndexes(holdsIn(db), [{ key: { until: 1 }, expireAfterSeconds: 0 }]);

/** Adds a hold and returns those before it. */
async function hold(db: Db, { key: _id, amount }: Quota, id: unknown, key: string): Promise<readonly Hold[]> {
  const until = { $add: ["$$NOW", holdMs] };
  const current = { $filter: { input: { $ifNull: ["$holds", []] }, cond: { $gt: ["$$this.until", "$$NOW"] } } };
  const added = [{ id: { $literal: id }, key, amount: { $literal: amount }, until }];
  const change = [{ $set: { until, holds: { $concatArrays: [current, added] } } }];
  for (;;) {
    try {
      const doc = await holdsIn(db).findOneAndUpdate({ _id }, change, { upsert: true, returnDocument: "after" });
      const { holds } = doc!;
      return holds.slice(
        0,
        holds.findIndex((one) => one.key === key),
      );
    } catch (error) {
      if (!duplicateKey(error)) throw error;
    }
  }
}

async function release(db: Db, { key: _id }: Quota, key: string): Promise<void> {
  const { deletedCount } = await holdsIn(db).deleteOne({ _id, holds: { $size: 1 }, "holds.key": key });
  if (deletedCount === 0) await holdsIn(db).updateOne({ _id }, { $pull: { holds: { key } } });
}

/** Throws Fault `invalid` if the records, those about to be stored before this one, and this one exceed the quota. */
async function requireRoom(quota: Quota, before: readonly Hold[]): Promise<void> {
  // One query, because a record that is stored between two would count twice or not at all.
  const stored = await quota.used(before.map(({ id }) => id));
  const used = before.reduce((sum, { amount }) => sum + amount, stored);
  if (used + quota.amount > quota.max) complain(quota.complaints(used));
}

/**
 * Stores a record with this id unless it exceeds a quota, which is Fault `invalid`. Concurrent writes of all replicas stay
 * within the quota too: each announces its record before it measures, and counts those that were announced before it.
 */
export async function withinQuotas<T>(
  db: Db,
  quotas: readonly Quota[],
  id: unknown,
  write: () => Promise<T>,
): Promise<T> {
  const key = randomUUID();
  const limits = quotas.filter(isOn);
  try {
    for (const quota of limits) await requireRoom(quota, await hold(db, quota, id, key));
    return await write();
  } finally {
    // Wait, or a deletion after this would not make room yet. If it fails, the hold expires.
    await Promise.all(limits.map((quota) => release(db, quota, key).catch(() => undefined)));
  }
}
