import { duplicateKey } from "@ci/kit/mongo/duplicates";
import { page } from "@ci/kit/mongo/page";
import type { Db } from "mongodb";
import { type HookChange, subjectOf } from "../../domain/hooks/change.js";
import type { Verdict } from "../../domain/hooks/status.js";
import { commitDeliveries } from "./commit-deliveries.js";
import { deliverySteps, heldFor } from "./hook-delivery-steps.js";

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

/** A delivery that can trigger builds. */
export type BuiltDelivery = HookDelivery & Required<Pick<HookDelivery, "change">>;

/** Returns what orders the changes of a branch or request. A delivery of an older version has no number. */
export const orderOf = ({ number, order }: HookDelivery): number | undefined => order ?? number;

export type StepResult = Pick<HookDelivery, "failures" | "sha" | "wrong" | "reasons" | "silent" | "reported"> & {
  /** When the next step is due, in milliseconds from now. */
  readonly dueInMs: number | "never";
};

const maxPruned = 500;
const listed = (repositoryId: number) => ({ repositoryId, number: { $exists: true } });

export const hookDeliveryStore = (db: Db) => {
  const deliveries = db.collection<HookDelivery>("hookDeliveries");

  return {
    /** Returns when the provider's newest event arrived; undefined if the log has none. */
    async lastEventAt(repositoryId: number): Promise<Date | undefined> {
      const [newest] = await deliveries
        .find({ repositoryId, bodyHash: { $exists: true } })
        .project<Pick<HookDelivery, "createdAt">>({ createdAt: 1 })
        .sort({ createdAt: -1 })
        .limit(1)
        .toArray();
      return newest?.createdAt;
    },

    /** Stores a new delivery and, if it can trigger builds, claims it; undefined if its id or body is already stored. */
    async insert(delivery: HookDelivery, leaseMs: number): Promise<HookDelivery | undefined> {
      const isNew = { $lte: ["$createdAt", null] };
      const { _id, repositoryId, change } = delivery;
      const held = change ? heldFor(leaseMs) : {};
      const precedence = change && { subject: subjectOf(repositoryId, change), order: orderOf(delivery) };
      const made = { $mergeObjects: [{ $literal: { ...delivery, ...precedence } }, held] };
      try {
        const { value, lastErrorObject } = await deliveries.findOneAndUpdate(
          { _id },
          [{ $replaceWith: { $cond: [isNew, made, "$$ROOT"] } }],
          { upsert: true, returnDocument: "after", includeResultMetadata: true },
        );
        return lastErrorObject?.upserted === undefined ? undefined : (value ?? undefined);
      } catch (error) {
        if (duplicateKey(error)) return undefined;
        throw error;
      }
    },

    ...deliverySteps(deliveries),
    ...commitDeliveries(deliveries),

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
