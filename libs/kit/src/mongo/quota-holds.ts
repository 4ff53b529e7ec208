import type { Db } from "mongodb";
import { duplicateKey } from "./duplicates.js";
import { inMs } from "./expressions.js";
import { ensureIndexes } from "./mongo.js";
import type { Quota } from "./quota.js";

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
  /** The sum of all amounts that were ever announced. */
  readonly announced: number;
  /** `base` and `announced` together are at least what the holder's records take. Deletions make it less. */
  readonly bound?: { readonly base: number; readonly until: Date };
  readonly until: Date;
}

export interface Held {
  readonly key: string;
  /** Those that were announced earlier and may not be stored yet. */
  readonly before: readonly Hold[];
  readonly announced: number;
  /** The most that the records and all announced ones can take; undefined if that is unknown. */
  readonly atMost?: number;
}

/** How long the record of a process that died counts although it was not stored. */
const holdMs = 60_000;
/** How long a bound is trusted. A quota that was off for a while has a wrong one. */
const boundMs = 60 * 60_000;

/** Holds last for moments, so they need not survive the loss of a primary. */
const holdsIn = (db: Db) => db.collection<HoldsDoc>("quotaHolds", { writeConcern: { w: 1 } });

export const ensureQuotas = (db: Db): Promise<void> =>
  ensureIndexes(holdsIn(db), [{ key: { until: 1 }, expireAfterSeconds: 0 }]);

const isCurrent = { $gt: ["$bound.until", "$$NOW"] };

function heldOf({ holds, announced, bound }: HoldsDoc, key: string): Held {
  const before = holds.slice(
    0,
    holds.findIndex((one) => one.key === key),
  );
  return { key, before, announced, atMost: bound && bound.base + announced };
}

/** Announces a record under its quota, and returns what others have announced before it. */
export async function hold(db: Db, { key: _id, amount }: Quota, id: unknown, key: string): Promise<Held> {
  const current = { $filter: { input: { $ifNull: ["$holds", []] }, cond: { $gt: ["$$this.until", "$$NOW"] } } };
  const added = [{ id: { $literal: id }, key, amount: { $literal: amount }, until: inMs(holdMs) }];
  const change = [
    {
      $set: {
        until: { $max: [inMs(holdMs), "$bound.until"] },
        holds: { $concatArrays: [current, added] },
        announced: { $add: [{ $ifNull: ["$announced", 0] }, { $literal: amount }] },
        bound: { $cond: [isCurrent, "$bound", "$$REMOVE"] },
      },
    },
  ];
  for (;;) {
    try {
      return heldOf(
        (await holdsIn(db).findOneAndUpdate({ _id }, change, { upsert: true, returnDocument: "after" }))!,
        key,
      );
    } catch (error) {
      if (!duplicateKey(error)) throw error;
    }
  }
}

/**
 * Saves that the records, those announced before and this one take `used`. What was announced afterwards adds to it. Does
 * nothing if the hold has expired, because the announcements may have been counted from 0 again.
 */
export async function saveBound(db: Db, { key: _id }: Quota, { key, announced }: Held, used: number): Promise<void> {
  const until = inMs(boundMs);
  const bound = { base: { $literal: used - announced }, until };
  await holdsIn(db).updateOne({ _id, "holds.key": key }, [{ $set: { bound, until } }]);
}

/** Returns the most that the records of a holder can take; undefined if that is unknown. Reads one document. */
export async function boundOf(db: Db, { key: _id }: Quota): Promise<number | undefined> {
  const found = await holdsIn(db).findOne({ _id, $expr: isCurrent }, { projection: { bound: 1, announced: 1 } });
  return found ? found.bound!.base + found.announced : undefined;
}

export async function release(db: Db, { key: _id }: Quota, key: string): Promise<void> {
  const last = { _id, holds: { $size: 1 }, "holds.key": key, bound: { $exists: false } };
  const { deletedCount } = await holdsIn(db).deleteOne(last);
  if (deletedCount === 0) await holdsIn(db).updateOne({ _id }, { $pull: { holds: { key } } });
}
