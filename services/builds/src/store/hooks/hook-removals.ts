import { inMs, literals } from "@ci/kit/mongo/expressions";
import { firstDueInMs } from "@ci/kit/mongo/first-due";
import type { Db } from "mongodb";
import type { RepositoryDoc } from "../repositories.js";

/** A hook to remove at its provider, because the repository was deleted. Older ones have no user. */
export interface HookRemoval
  extends Pick<RepositoryDoc, "_id" | "provider" | "url">,
    Partial<Pick<RepositoryDoc, "userId">> {
  readonly sealedToken: string;
  /** Commits whose status at the provider is pending. Older versions do not set it. */
  readonly shas?: readonly string[];
  /** When the removal is due, by the clock of MongoDB. */
  readonly dueAt: Date;
  readonly failures: number;
}

export const hookRemovalStore = (db: Db) => {
  const removals = db.collection<HookRemoval>("hookRemovals");

  return {
    /** Stores a removal that is due after `waitMs`, and not before `from`. Adds its commits to those of an earlier one. */
    async plan(
      { _id, userId, provider, url, sealedToken, shas = [] }: Omit<HookRemoval, "dueAt" | "failures">,
      waitMs: number,
      from?: Date,
    ) {
      const planned = literals({ userId, provider, url, sealedToken, failures: 0 });
      const dueAt = from ? { $max: [inMs(waitMs), from] } : inMs(waitMs);
      const all = { $setUnion: [{ $ifNull: ["$shas", []] }, { $literal: shas }] };
      await removals.updateOne({ _id }, [{ $set: { ...planned, shas: all, dueAt } }], { upsert: true });
    },

    nextDueInMs: () => firstDueInMs(removals, "dueAt"),

    /** Claims a removal that is due, of none of these users; null stands for none. If its holder crashes, it becomes due again. */
    claim: (leaseMs: number, exceptUsers: readonly (number | null)[]): Promise<HookRemoval | null> =>
      removals.findOneAndUpdate(
        {
          dueAt: { $exists: true },
          $expr: { $lte: ["$dueAt", "$$NOW"] },
          userId: { $nin: exceptUsers as readonly number[] },
        },
        [{ $set: { dueAt: inMs(leaseMs) } }],
        { sort: { dueAt: 1 }, returnDocument: "after" },
      ),

    /** Renews the lease; notes whose statuses are replaced. Returns null if another process has taken over. */
    renew: (
      { _id, dueAt }: HookRemoval,
      leaseMs: number,
      replaced: readonly string[] = [],
    ): Promise<HookRemoval | null> =>
      removals.findOneAndUpdate(
        { _id, dueAt },
        [{ $set: { shas: { $setDifference: ["$shas", { $literal: replaced }] }, dueAt: inMs(leaseMs) } }],
        { returnDocument: "after" },
      ),

    /** Lets others have their turn before the rest. */
    async pause({ _id, dueAt }: HookRemoval): Promise<void> {
      await removals.updateOne({ _id, dueAt }, [{ $set: { dueAt: "$$NOW" } }]);
    },

    async retry({ _id, dueAt, failures }: HookRemoval, pauseMs: number): Promise<void> {
      await removals.updateOne({ _id, dueAt }, [{ $set: { dueAt: inMs(pauseMs), failures: failures + 1 } }]);
    },

    /** Ends a claimed removal, unless it was planned or claimed again. */
    done: ({ _id, dueAt }: HookRemoval) => removals.deleteOne({ _id, dueAt }),
  };
};

export type HookRemovalStore = ReturnType<typeof hookRemovalStore>;
