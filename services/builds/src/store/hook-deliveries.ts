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
  /** When there is something to do; absent: never again. */
  readonly dueAt?: Date;
  /** Until when somebody does it, and nobody else may. */
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

/** What somebody who holds a delivery writes when they are done with it for now. */
export type Done = Pick<HookDelivery, "dueAt" | "failures" | "sha" | "wrong" | "reported">;

const mostDue = 50;
const mostPruned = 500;

export const hookDeliveryStore = (db: Db) => {
  const deliveries = db.collection<HookDelivery>("hookDeliveries");

  return {
    /** False when the delivery has been seen before. */
    async insert(delivery: HookDelivery): Promise<boolean> {
      try {
        await deliveries.insertOne(delivery);
        return true;
      } catch (error) {
        if (duplicateKey(error)) return false;
        throw error;
      }
    },

    /** Ids of deliveries that something is to be done about, the longest due first. */
    due: (now: Date) =>
      deliveries
        .find({ dueAt: { $lte: now } }, { projection: { _id: 1 } })
        .sort({ dueAt: 1 })
        .limit(mostDue)
        .map(({ _id }) => _id)
        .toArray(),

    /** Takes a delivery that is due and that nobody holds; after a crash of the holder it is due again at `until`. */
    claim: (id: string, now: Date, until: Date): Promise<HookDelivery | null> =>
      deliveries.findOneAndUpdate(
        { _id: id, dueAt: { $lte: now }, $or: [{ heldUntil: { $exists: false } }, { heldUntil: { $lte: now } }] },
        { $set: { heldUntil: until, dueAt: until } },
        { returnDocument: "after" },
      ),

    /** Writes what was done and lets go; nothing when somebody else has taken over. */
    async release({ _id, heldUntil }: HookDelivery, done: Partial<Done>): Promise<void> {
      const gone = { heldUntil: true, ...("dueAt" in done && done.dueAt === undefined ? { dueAt: true } : {}) };
      await deliveries.updateOne({ _id, heldUntil }, { $set: done, $unset: gone as never });
    },

    /** Something has happened that waiting deliveries would otherwise look for later. */
    async hurry(ids: readonly string[], now: Date): Promise<void> {
      await deliveries.updateMany({ _id: { $in: [...ids] }, dueAt: { $gt: now } }, { $set: { dueAt: now } });
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
