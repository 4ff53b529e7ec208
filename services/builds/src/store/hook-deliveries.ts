import { firstDueInMs } from "@ci/kit/mongo/first-due";
import { duplicateKey, page } from "@ci/kit/mongo/mongo";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Collection, Db } from "mongodb";
import type { BuildDoc } from "../domain/build.js";
import { type HookChange, subjectOf } from "../domain/hooks/change.js";
import { notReported } from "../domain/hooks/reasons.js";
import type { Outcome, Verdict } from "../domain/hooks/status.js";

/** A hook delivery of a provider and its progress: first its builds are submitted, then their outcome is reported. */
export interface HookDelivery {
  /** The repository's id and the provider's own id of the delivery. */
  readonly _id: string;
  readonly repositoryId: number;
  /** The repository's user when it was received; absent on older deliveries. */
  readonly userId?: number;
  /** SHA-256 of the signed body, which prevents a replay under another id. Absent on older deliveries. */
  readonly bodyHash?: string;
  /** Counts all deliveries; absent on older ones, which are not listed. */
  readonly number?: number;
  /** The provider's name of the event. */
  readonly event?: string;
  /** Absent if the event cannot trigger builds. */
  readonly change?: HookChange;
  /** Number of the delivery that a user redelivered as this one. */
  readonly redeliveryOf?: number;
  /** The branch or request of the change, and its position there: the number of the delivery, or of the one it repeats. */
  readonly subject?: string;
  readonly order?: number;
  readonly createdAt: Date;
  /** When the next step is due, by the clock of MongoDB; absent if there is none. */
  readonly dueAt?: Date;
  /** Until this time, by the same clock, no other process may claim it. */
  readonly heldUntil?: Date;
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** Holders since the last result that crashed. */
  readonly lost?: number;
  /** Id of the commit; set when its builds are submitted. */
  readonly sha?: string;
  /** A manifest is invalid, or the repository could not be read. */
  readonly wrong?: boolean;
  /** Why it triggered no build, or not one for each manifest; or why the last attempt failed. */
  readonly reasons?: readonly string[];
  /** It made no build and has no complaint, so it has no say in the commit's status. Older versions do not set it. */
  readonly silent?: boolean;
  /** The status of the commit that it reported last. */
  readonly reported?: Verdict;
}

/** A delivery with its builds, as they count for the status of its commit. */
export type CommitDelivery = Pick<HookDelivery, "_id" | "dueAt"> &
  Outcome<Pick<BuildDoc, "userId" | "number" | "status">>;

/** A delivery that can trigger builds. */
export type BuiltDelivery = HookDelivery & Required<Pick<HookDelivery, "change">>;

/** Returns what orders the changes of a branch or request. A delivery of an older version has no number. */
export const orderOf = ({ number, order }: HookDelivery): number | undefined => order ?? number;

export type StepResult = Pick<HookDelivery, "failures" | "sha" | "wrong" | "reasons" | "silent" | "reported"> & {
  /** When the next step is due, in milliseconds from now. */
  readonly dueInMs: number | "never";
};

const maxDue = 50;
const maxPruned = 500;
const maxOfCommit = fixedLimit({
  max: 50,
  about: "deliveries of a repository about one commit that decide its status",
  effect: "only the newest count",
});
const maxLost = fixedLimit({
  max: 5,
  about: "processes in a row that crash while they make the builds of a hook's delivery, or report their status",
  effect: "the delivery fails, or its status is not reported any more",
});
const maxPending = fixedLimit({
  max: 200,
  about: "commits of a removed repository whose pending status is replaced at the provider",
  effect: "those of older deliveries stay pending",
});
const inMs = (ms: number) => ({ $add: ["$$NOW", ms] });
const heldFor = (leaseMs: number) => ({ heldUntil: inMs(leaseMs), dueAt: inMs(leaseMs) });
const lost = { $add: [{ $ifNull: ["$lost", 0] }, { $cond: [{ $gt: ["$heldUntil", null] }, 1, 0] }] };
const isHopeless = { $gte: ["$lost", maxLost] };
const hasBuilds = { $gt: ["$sha", null] };
const notBuilt = {
  sha: "$change.sha",
  wrong: true,
  reasons: ["the service ended each time while it processed it; redeliver it later"],
  lost: 0,
};
const reasons = { $concatArrays: [{ $ifNull: ["$reasons", []] }, [notReported]] };
const unreported = { $unsetField: { field: "dueAt", input: { $mergeObjects: ["$$ROOT", { reasons }] } } };
const givenUp = { $cond: [hasBuilds, unreported, { $mergeObjects: ["$$ROOT", notBuilt] }] };
const claimed = (leaseMs: number) => [
  { $set: { ...heldFor(leaseMs), lost } },
  { $replaceWith: { $cond: [isHopeless, givenUp, "$$ROOT"] } },
];
const idOrRef = { $ifNull: ["$change.id", "$change.ref"] };
const kept = { "change.fork": 1, order: 1, number: 1, dueAt: 1, wrong: 1, reasons: 1 } as const;
const trustedFirst = { "change.fork": 1, order: -1, number: -1 } as const;
const withBuilds = {
  from: "builds",
  ...{ localField: "_id", foreignField: "origin.deliveryId" },
  pipeline: [{ $sort: { "origin.path": 1 } }, { $project: { userId: 1, number: 1, status: 1 } }],
  as: "builds",
};
const listed = (repositoryId: number) => ({ repositoryId, number: { $exists: true } });
// A missing heldUntil compares as earlier than any time.
const isFree = { $and: [{ $lte: ["$dueAt", "$$NOW"] }, { $lte: ["$heldUntil", "$$NOW"] }] };
const isDue = { dueAt: { $exists: true }, $expr: isFree };

function inserter(deliveries: Collection<HookDelivery>) {
  return async (delivery: HookDelivery, leaseMs: number): Promise<HookDelivery | undefined> => {
    const isNew = { $lte: ["$createdAt", null] };
    const { repositoryId, change } = delivery;
    const held = change ? heldFor(leaseMs) : {};
    const precedence = change && { subject: subjectOf(repositoryId, change), order: orderOf(delivery) };
    const made = { $mergeObjects: [{ $literal: { ...delivery, ...precedence } }, held] };
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
  };
}

const newestDeliveries = (deliveries: Collection<HookDelivery>) => ({
  /** Returns the order of the newest delivery of a branch or request; undefined if there is none. */
  newestOf: async (subject: string): Promise<number | undefined> => {
    const newest = deliveries.find({ subject }, { projection: { order: 1 } });
    return (await newest.sort({ order: -1 }).limit(1).next())?.order;
  },

  /**
   * Returns the newest delivery of each branch, tag and request that has a say in a commit's status, newest first.
   * Requests of forks have a say only if the commit has no other deliveries.
   */
  async ofCommit(repositoryId: number, sha: string): Promise<CommitDelivery[]> {
    const found = deliveries.aggregate<CommitDelivery & Pick<BuiltDelivery, "change">>([
      { $match: { repositoryId, sha, silent: null } },
      { $sort: trustedFirst },
      { $limit: maxOfCommit },
      { $project: { ...kept, of: ["$change.type", idOrRef] } },
      { $group: { _id: "$of", newest: { $first: "$$ROOT" } } },
      { $replaceWith: "$newest" },
      { $sort: trustedFirst },
      { $lookup: withBuilds },
    ]);
    const all = await found.toArray();
    const trusted = all.filter(({ change }) => !change.fork);
    return trusted.length > 0 ? trusted : all;
  },
});

/** Returns the newest commits of a repository whose status is pending at the provider, up to a limit. */
const pendingCommits = (deliveries: Collection<HookDelivery>) => async (repositoryId: number) => {
  const pending = { ...listed(repositoryId), reported: "pending" as const, dueAt: { $exists: true } };
  const found = deliveries
    .find(pending, { projection: { sha: 1 } })
    .sort({ number: -1 })
    .limit(maxPending);
  return found.map(({ sha }) => sha!).toArray();
};

const earlierSteps = (deliveries: Collection<HookDelivery>) => ({
  async makeDue(ids: readonly string[]): Promise<void> {
    const later = { _id: { $in: [...ids] }, $expr: { $gt: ["$dueAt", "$$NOW"] } };
    await deliveries.updateMany(later, [{ $set: { dueAt: "$$NOW" } }]);
  },

  /** Has the commit's status reported at once, whatever was reported, and ends the lease of a process that is doing so. */
  async reportAgain(id: string): Promise<void> {
    await deliveries.updateOne({ _id: id }, [{ $set: { dueAt: "$$NOW" } }, { $unset: ["reported", "heldUntil"] }]);
  },
});

export const hookDeliveryStore = (db: Db) => {
  const deliveries = db.collection<HookDelivery>("hookDeliveries");

  return {
    /** Stores a new delivery and, if it can trigger builds, claims it; undefined if its id or body is already stored. */
    insert: inserter(deliveries),

    ...newestDeliveries(deliveries),

    pendingCommits: pendingCommits(deliveries),

    ...earlierSteps(deliveries),

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
      const values = Object.entries(done).filter(([, value]) => value !== undefined);
      const written = Object.fromEntries(values.map(([key, value]) => [key, { $literal: value }]));
      const update = [{ $set: { ...written, ...due } }, { $unset: removed }];
      return (await deliveries.updateOne({ _id, heldUntil }, update)).matchedCount === 1;
    },

    /** Lets another process claim the delivery at once. This holder does not count as lost. */
    async giveBack({ _id, heldUntil }: HookDelivery): Promise<void> {
      await deliveries.updateOne({ _id, heldUntil }, [{ $set: { dueAt: "$$NOW" } }, { $unset: "heldUntil" }]);
    },

    /** Returns a page of a repository's deliveries, newest first. */
    list: (repositoryId: number, number: number | undefined) =>
      page(deliveries.find(listed(repositoryId)).sort({ number: -1 }), number, (options) =>
        deliveries.countDocuments(listed(repositoryId), options),
      ),

    byNumber: (repositoryId: number, number: number) => deliveries.findOne({ repositoryId, number }),

    async removeOfRepository(repositoryId: number): Promise<void> {
      await deliveries.deleteMany({ repositoryId });
    },

    remove: (id: string) => deliveries.deleteOne({ _id: id }),

    /** Removes old deliveries, except those whose builds or final status are still to come. Returns how many. */
    async prune(before: Date): Promise<number> {
      const old = await deliveries
        .find({ createdAt: { $lt: before }, dueAt: { $exists: false } }, { projection: { _id: 1 } })
        .limit(maxPruned)
        .map(({ _id }) => _id)
        .toArray();
      if (old.length > 0) await deliveries.deleteMany({ _id: { $in: old } });
      return old.length;
    },
  };
};

export type HookDeliveryStore = ReturnType<typeof hookDeliveryStore>;
