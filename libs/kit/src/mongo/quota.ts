import { randomUUID } from "node:crypto";
import type { Collection, Db, Document, Filter } from "mongodb";
import type { Fields } from "../rpc/fault.js";
import { complain } from "../rpc/validated.js";
import { type Held, hold, release, saveBound } from "./quota-holds.js";

export { ensureQuotas } from "./quota-holds.js";

/** A limit on what a holder, such as a user, may store. It measures the records, so it is exact after every deletion. */
export interface Quota {
  /** Names the limit and its holder. */
  readonly key: string;
  /** 0 means no limit. */
  readonly max: number;
  /** What the new record takes of it. */
  readonly amount: number;
  /** It sums many records, so it is only measured when what was announced since the last time might exceed it. */
  readonly sums?: boolean;
  /** Returns what the holder's records take, without those that have one of these ids. */
  used(except: readonly unknown[]): Promise<number>;
  complaints(used: number): Fields;
}

/** `records` names them in the complaint: `Cron jobs cannot exceed 1000 per user; delete one first`. */
export interface CountLimit {
  readonly records: string;
  readonly per: "user" | "namespace";
  readonly max: number;
}

export const countComplaint = ({ records, per, max }: Omit<CountLimit, "max"> & { max: number | string }): string =>
  `${records} cannot exceed ${max} per ${per}; delete one first`;

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

/** Returns the complaint if the new record exceeds a quota now. Others may be stored before it. */
export async function quotaComplaints(quotas: readonly Quota[]): Promise<Fields> {
  const complaintsOf = async (quota: Quota) => {
    const used = await quota.used([]);
    return used + quota.amount > quota.max ? quota.complaints(used) : {};
  };
  return Object.assign({}, ...(await Promise.all(quotas.filter(isOn).map(complaintsOf))));
}

/** Throws Fault `invalid` if the records, those about to be stored before this one, and this one exceed the quota. */
async function requireRoom(db: Db, quota: Quota, held: Held): Promise<void> {
  if (held.atMost !== undefined && held.atMost <= quota.max) return;
  // One query, because a record that is stored between two would count twice or not at all.
  const stored = await quota.used(held.before.map(({ id }) => id));
  const used = held.before.reduce((sum, { amount }) => sum + amount, stored);
  if (quota.sums) await saveBound(db, quota, held, used + quota.amount);
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
    for (const quota of limits) await requireRoom(db, quota, await hold(db, quota, id, key));
    return await write();
  } finally {
    // Wait, or a deletion after this would not make room yet. If it fails, the hold expires.
    await Promise.all(limits.map((quota) => release(db, quota, key).catch(() => undefined)));
  }
}
