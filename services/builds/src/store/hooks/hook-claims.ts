import { inMs } from "@ci/kit/mongo/expressions";
import type { Collection } from "mongodb";
import type { HookOutcome, RepositoryDoc } from "../repositories.js";

// A missing time compares as earlier than any other.
const isFree = { $expr: { $lte: ["$hookHeldUntil", "$$NOW"] } };
const nextFailure = { $add: [{ $ifNull: ["$hookFailures", 0] }, 1] };
const nextAttempt = { $add: [{ $ifNull: ["$hookAttempt", 0] }, 1] };

/** Requests a registration after the one under way. A holder of an older version would not notice, so its hold ends. */
export const requested = {
  hook: "pending",
  hookAttempt: nextAttempt,
  hookFailures: "$$REMOVE",
  hookHeldUntil: { $cond: [{ $eq: ["$hookHeldUntil", "$hookWatchedUntil"] }, "$hookHeldUntil", "$$REMOVE"] },
};

/** A process that registers a pending hook holds it meanwhile: it alone sends requests to the provider. */
export function hookClaims(repositories: Collection<RepositoryDoc>) {
  const claim = (which: { _id: number } | { userId: { $nin: readonly number[] } }, leaseMs: number) =>
    repositories.findOneAndUpdate(
      { hook: "pending", ...isFree, ...which },
      [
        { $set: { hookHeldUntil: inMs(leaseMs), hookAttempt: { $ifNull: ["$hookAttempt", 0] } } },
        { $set: { hookWatchedUntil: "$hookHeldUntil" } },
      ],
      { returnDocument: "after" },
    );

  return {
    /** Claims the registration of a pending hook. If its holder crashes, another process can claim it. */
    claimHook: (id: number, leaseMs: number): Promise<RepositoryDoc | null> => claim({ _id: id }, leaseMs),

    claimAnyHook: (exceptUsers: readonly number[], leaseMs: number): Promise<RepositoryDoc | null> =>
      claim({ userId: { $nin: exceptUsers } }, leaseMs),

    /** Stores the outcome of a registration. Returns false if it was claimed or requested again, or the repository is gone. */
    async settleHook(
      { _id, hookHeldUntil, hookAttempt }: RepositoryDoc,
      { hook, hookReason, retryInMs }: HookOutcome,
    ): Promise<boolean> {
      const settled = {
        hook,
        hookReason: hookReason ?? "$$REMOVE",
        hookWatchedUntil: "$$REMOVE",
        ...(retryInMs === undefined
          ? { hookHeldUntil: "$$REMOVE", hookFailures: "$$REMOVE" }
          : { hookHeldUntil: inMs(retryInMs), hookFailures: nextFailure }),
      };
      const held = { _id, hook: "pending" as const, hookHeldUntil, hookAttempt };
      return (await repositories.updateOne(held, [{ $set: settled }])).matchedCount === 1;
    },

    /** Requests another registration and ends this hold, unless it is over. Returns false if the repository is gone. */
    async requestHookAgain({ _id, hookHeldUntil }: RepositoryDoc): Promise<boolean> {
      const others = { $cond: [{ $eq: ["$hookHeldUntil", hookHeldUntil] }, "$$REMOVE", "$hookHeldUntil"] };
      const again = { hook: "pending", hookAttempt: nextAttempt, hookHeldUntil: others };
      return (await repositories.updateOne({ _id }, [{ $set: again }])).matchedCount === 1;
    },
  };
}
