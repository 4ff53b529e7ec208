import { inMs, literals } from "@ci/kit/mongo/expressions";
import { firstDueInMs } from "@ci/kit/mongo/first-due";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Collection } from "mongodb";
import { notReported } from "../../domain/hooks/reasons.js";
import type { HookDelivery, StepResult } from "./hook-deliveries.js";

const maxDue = 50;
const maxLost = fixedLimit({
  max: 5,
  about: "processes in a row that crash while they make the builds of a hook's delivery, or report their status",
  effect: "the delivery fails, or its status is not reported any more",
});
export const heldFor = (leaseMs: number) => ({ heldUntil: inMs(leaseMs), dueAt: inMs(leaseMs) });
const lost = { $add: [{ $ifNull: ["$lost", 0] }, { $cond: [{ $gt: ["$heldUntil", null] }, 1, 0] }] };
const withoutBuilds = {
  sha: "$change.sha",
  wrong: true,
  reasons: ["the service ended each time while it processed it; redeliver it later"],
  lost: 0,
};
const withoutStatus = { reasons: { $concatArrays: [{ $ifNull: ["$reasons", []] }, [notReported]] } };
const changedBy = (fields: object) => ({ $mergeObjects: ["$$ROOT", fields] });
const hasBuilds = { $gt: ["$sha", null] };
const givenUp = {
  $cond: [hasBuilds, { $unsetField: { field: "dueAt", input: changedBy(withoutStatus) } }, changedBy(withoutBuilds)],
};
/** Counts a holder that has crashed. After too many, gives up the delivery, or only its status if it has builds. */
const claimed = (leaseMs: number) => [
  { $set: { ...heldFor(leaseMs), lost } },
  { $replaceWith: { $cond: [{ $gte: ["$lost", maxLost] }, givenUp, "$$ROOT"] } },
];
// A missing heldUntil compares as earlier than any time.
const isFree = { $and: [{ $lte: ["$dueAt", "$$NOW"] }, { $lte: ["$heldUntil", "$$NOW"] }] };
const isDue = { dueAt: { $exists: true }, $expr: isFree };

/** Schedules the steps of deliveries. A process holds a delivery under a lease while it runs a step. */
export const deliverySteps = (deliveries: Collection<HookDelivery>) => ({
  /** Returns deliveries that are due, of none of these repositories, the longest overdue first. */
  due: (exceptRepositories: readonly number[]) =>
    deliveries
      .find({ ...isDue, repositoryId: { $nin: [...exceptRepositories] } })
      .project<Pick<HookDelivery, "_id" | "repositoryId">>({ repositoryId: 1 })
      .sort({ dueAt: 1 })
      .limit(maxDue)
      .toArray(),

  nextDueInMs: () => firstDueInMs(deliveries, "dueAt"),

  /** Claims a due delivery that no process holds. If holders crash, it is due again, until it or its status is given up. */
  claim: (id: string, leaseMs: number): Promise<HookDelivery | null> =>
    deliveries.findOneAndUpdate({ _id: id, ...isDue }, claimed(leaseMs), { returnDocument: "after" }),

  /** Begins the lease of a claimed delivery anew. Returns undefined if another process has taken over. */
  async renew<D extends HookDelivery>(held: D, leaseMs: number): Promise<D | undefined> {
    const { _id, heldUntil } = held;
    const renewing = [{ $set: heldFor(leaseMs) }];
    const found = await deliveries.findOneAndUpdate({ _id, heldUntil }, renewing, { returnDocument: "after" });
    return found ? { ...held, heldUntil: found.heldUntil, dueAt: found.dueAt } : undefined;
  },

  /** Stores the result and releases the delivery. Returns false, without effect, if another process has taken over. */
  async release({ _id, heldUntil }: HookDelivery, { dueInMs, ...done }: Partial<StepResult>): Promise<boolean> {
    const removed = ["heldUntil", "lost", ...(dueInMs === "never" ? ["dueAt"] : [])];
    const due = typeof dueInMs === "number" ? { dueAt: inMs(dueInMs) } : {};
    const update = [{ $set: { ...literals(done), ...due } }, { $unset: removed }];
    return (await deliveries.updateOne({ _id, heldUntil }, update)).matchedCount === 1;
  },

  /** Lets another process claim the delivery at once. This holder does not count as lost. */
  async giveBack({ _id, heldUntil }: HookDelivery): Promise<void> {
    await deliveries.updateOne({ _id, heldUntil }, [{ $set: { dueAt: "$$NOW" } }, { $unset: "heldUntil" }]);
  },

  async makeDue(ids: readonly string[]): Promise<void> {
    const later = { _id: { $in: [...ids] }, $expr: { $gt: ["$dueAt", "$$NOW"] } };
    await deliveries.updateMany(later, [{ $set: { dueAt: "$$NOW" } }]);
  },

  /** Has the commit's status reported at once, whatever was reported, and ends the lease of a process that is doing so. */
  async reportAgain(id: string): Promise<void> {
    await deliveries.updateOne({ _id: id }, [{ $set: { dueAt: "$$NOW" } }, { $unset: ["reported", "heldUntil"] }]);
  },
});
