import { duplicateKey } from "@ci/kit/mongo/mongo";
import type { Db } from "mongodb";
import type { HookChange } from "../domain/hooks/change.js";
import type { Verdict } from "../domain/hooks/status.js";

/** What a provider has told, and how far it has got: its builds are made, then their outcome is told to the provider. */
export interface HookDelivery {
  /** The repository's id and the provider's own id of the delivery. */
  readonly _id: string;
  readonly repositoryId: number;
  readonly change: HookChange;
  readonly createdAt: Date;
  /** When there is something to do, by the clock of MongoDB; absent: never again. */
  readonly dueAt?: Date;
  /** Until when somebody does it, and nobody else may; by the same clock. */
  readonly heldUntil?: Date;
  /** Attempts that failed since the last one that did not. */
  readonly failures: number;
  /** The commit, once its manifests are read and their builds made. */
  readonly sha?: string;
  /** A manifest is invalid, or the repository could not be read. */
  readonly wrong?: boolean;
  /** What the provider was told last. */
  readonly reported?: Verdict;
}

/** What a process that holds a delivery writes when it is done with it for now. */
export type Done = Pick<HookDelivery, "failures" | "sha" | "wrong" | "reported"> & {
  /** In how many milliseconds there is more to do. */
  readonly dueInMs: number | "never";
};

const mostDue = 50;
const mostPruned = 500;
const inMs = (ms: number) => ({ $add: ["$$NOW", ms] });
const heldFor = (leaseMs: number) => ({ heldUntil: inMs(leaseMs), dueAt: inMs(leaseMs) });
const isDue = { dueAt: { $exists: true }, $expr: { $lte: ["$dueAt", "$$NOW"] } };

export const hookDeliveryStore = (db: Db) => {
  const deliveries = db.collection<HookDelivery>("hookDeliveries");

  return {
    /** Stores a new delivery, held by its maker; undefined when it has been seen before. */
    async insert(delivery: HookDelivery, leaseMs: number): Promise<HookDelivery | undefined> {
      const isNew = { $lte: ["$createdAt", null] };
      const made = { $mergeObjects: [{ $literal: delivery }, heldFor(leaseMs)] };
      try {
        const { value, lastErrorObject } = await deliveries.findOneAndUpdate(
          { _id: delivery._id },
          [{ $replaceWith: { $cond: [isNew, made, "$$ROOT"] } }],
          { upsert: true, returnDocument: "after", includeResultMetadata: true },
        );
        return lastErrorObject?.upserted === undefined ? undefined : (value ?? undefined);
      } catch (error) {
        if (duplicateKey(error)) return undefined;
        throw error;
      }
    },

    /** Ids of deliveries that something is to be done about, the longest due first. */
    due: () =>
      deliveries
        .find(isDue, { projection: { _id: 1 } })
        .sort({ dueAt: 1 })
        .limit(mostDue)
        .map(({ _id }) => _id)
        .toArray(),

    /** Takes a delivery that is due and that no process holds; after a crash of the holder it is due again. */
    claim: (id: string, leaseMs: number): Promise<HookDelivery | null> =>
      deliveries.findOneAndUpdate(
        // A delivery that no process holds has no heldUntil, which comes before every time.
        { _id: id, ...isDue, $expr: { $and: [isDue.$expr, { $lte: ["$heldUntil", "$$NOW"] }] } },
        [{ $set: heldFor(leaseMs) }],
        { returnDocument: "after" },
      ),

    /** Writes what was done and lets go; nothing when another process has taken over. */
    async release({ _id, heldUntil }: HookDelivery, { dueInMs, ...done }: Partial<Done>): Promise<void> {
      const gone = ["heldUntil", ...(dueInMs === "never" ? ["dueAt"] : [])];
      const due = typeof dueInMs === "number" ? { dueAt: inMs(dueInMs) } : {};
      const values = Object.entries(done).filter(([, value]) => value !== undefined);
      const written = Object.fromEntries(values.map(([key, value]) => [key, { $literal: value }]));
      await deliveries.updateOne({ _id, heldUntil }, [{ $set: { ...written, ...due } }, { $unset: gone }]);
    },

    /** Something has happened that waiting deliveries would otherwise look for later. */
    async hurry(ids: readonly string[]): Promise<void> {
      const later = { _id: { $in: [...ids] }, $expr: { $gt: ["$dueAt", "$$NOW"] } };
      await deliveries.updateMany(later, [{ $set: { dueAt: "$$NOW" } }]);
    },

    /** All of a repository that is gone. */
    async removeOf(repositoryId: number): Promise<void> {
      await deliveries.deleteMany({ repositoryId });
    },

    remove: (id: string) => deliveries.deleteOne({ _id: id }),

    /** Removes some of those that were made before a time; answers how many. */
    async prune(before: Date): Promise<number> {
      const old = await deliveries
        .find({ createdAt: { $lt: before } }, { projection: { _id: 1 } })
        .limit(mostPruned)
        .map(({ _id }) => _id)
        .toArray();
      if (old.length > 0) await deliveries.deleteMany({ _id: { $in: old } });
      return old.length;
    },
  };
};

export type HookDeliveryStore = ReturnType<typeof hookDeliveryStore>;
