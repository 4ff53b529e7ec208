import { inMs } from "@ci/kit/mongo/expressions";
import { firstDueInMs } from "@ci/kit/mongo/first-due";
import type { Collection } from "mongodb";
import type { BuildDoc, HeldLease } from "../domain/build.js";
import type { RecentBuilds } from "./recent-builds.js";

export type LostBuild = Pick<BuildDoc, "_id" | "userId" | "trail"> & { readonly lease: HeldLease };

/** Stores the leases that runners hold on builds, by the clock of MongoDB. */
export const buildLeases = (builds: Collection<BuildDoc>, recent: Pick<RecentBuilds, "forget">) => ({
  /** Renews the lease of a running build; undefined if it is not held under this epoch and secret. */
  renew: async (id: number, epoch: number, leaseHash: string, leaseMs: number): Promise<BuildDoc | undefined> => {
    recent.forget(id);
    const renewed = { rev: { $add: ["$rev", 1] }, "lease.until": inMs(leaseMs) };
    const held = { _id: id, epoch, leaseHash, status: "running" as const };
    const projection = { lease: 1, killRequestedAt: 1, killRequestedBy: 1 };
    const options = { projection, returnDocument: "after" as const };
    return (await builds.findOneAndUpdate(held, [{ $set: renewed }], options)) ?? undefined;
  },

  /** Lets a lost build wait for another lease, so that builds that cannot be requeued do not hold up others. */
  postpone: async (id: number, { until }: HeldLease, leaseMs: number): Promise<void> => {
    recent.forget(id);
    const later = { rev: { $add: ["$rev", 1] }, "lease.until": inMs(leaseMs) };
    await builds.updateOne({ _id: id, "lease.until": until! }, [{ $set: later }]);
  },

  /** Lets all leases begin again now. */
  async restartLeases(leaseMs: number): Promise<void> {
    const restarted = { rev: { $add: ["$rev", 1] }, "lease.until": inMs(leaseMs) };
    await builds.updateMany({ "lease.until": { $exists: true } }, [{ $set: restarted }]);
  },

  /** Returns up to 100 running builds whose lease has expired. */
  lost: (): Promise<LostBuild[]> =>
    builds
      .find({ "lease.until": { $exists: true }, $expr: { $lt: ["$lease.until", "$$NOW"] } })
      .project<LostBuild>({ userId: 1, lease: 1, trail: 1 })
      .limit(100)
      .toArray(),

  firstLeaseEndsInMs: () => firstDueInMs(builds, "lease.until"),

  leasedTo: (runnerId: string) =>
    builds
      .find({ "lease.runnerId": runnerId, $expr: { $gte: ["$lease.until", "$$NOW"] } }, { projection: { epoch: 1 } })
      .map((doc) => ({ buildId: doc._id, epoch: doc.epoch }))
      .toArray(),
});
