import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Build_Status } from "@ci/proto/builds/v1/builds";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Db } from "mongodb";
import type { BuildDoc } from "../../domain/build.js";
import { byAge, claimable, oldestBuilds, queuedOf } from "./oldest-builds.js";

const maxCounted = fixedLimit({
  max: 100_000,
  about: "builds that the metrics count",
  effect: "more are shown as this number",
});

export const queueStore = (db: Db) => {
  const builds = db.collection<BuildDoc>("builds");

  /** Counts the running builds for each value of a field. */
  async function running(field: "userId" | "rootId", values: readonly number[]): Promise<Map<number, number>> {
    if (values.length === 0) return new Map();
    const found = builds.aggregate<{ _id: number; count: number }>([
      { $match: { status: "running", [field]: { $in: [...values] } } },
      { $group: { _id: `$${field}`, count: { $sum: 1 } } },
    ]);
    return new Map((await found.toArray()).map(({ _id, count }) => [_id, count]));
  }

  return {
    ...oldestBuilds(builds),

    firstIds: (driver: Driver_Type, userId: number, max: number): Promise<number[]> =>
      builds
        .find(queuedOf(driver, userId), { projection: { _id: 1 } })
        .sort(byAge)
        .limit(max)
        .map((doc) => doc._id)
        .toArray(),

    anyWaiting: async (): Promise<boolean> =>
      (await builds.findOne({ status: "queued", ...claimable }, { projection: { _id: 1 } })) !== null,

    /** Returns the users with builds that can be claimed. MongoDB skips from one user to the next, and reads no documents. */
    async waitingUsers(driver: Driver_Type): Promise<number[]> {
      const found = builds.aggregate<{ _id: number; awaitsApproval: true | null }>([
        { $match: { status: "queued", "driver.type": driver } },
        { $sort: { userId: 1, awaitsApproval: 1, ...byAge } },
        { $group: { _id: "$userId", awaitsApproval: { $first: "$awaitsApproval" } } },
      ]);
      return (await found.toArray()).filter(({ awaitsApproval }) => !awaitsApproval).map(({ _id }) => _id);
    },

    /** Counts the builds of a status, of all drivers or of one, up to 100,000. */
    count: (status: Build_Status, driver?: Driver_Type): Promise<number> =>
      builds.countDocuments({ status, ...(driver && { "driver.type": driver }) }, { limit: maxCounted }),

    oldestSince: async (driver: Driver_Type): Promise<Date | undefined> => {
      const waiting = builds.find(
        { status: "queued", "driver.type": driver, ...claimable },
        { projection: { createdAt: 1 } },
      );
      return (await waiting.sort({ createdAt: 1 }).limit(1).next())?.createdAt;
    },

    /** Counts the builds that each of some runners runs. */
    async runningOnRunners(runnerIds: readonly string[]): Promise<Map<string, number>> {
      const found = builds.aggregate<{ _id: string; count: number }>([
        { $match: { "lease.runnerId": { $in: [...runnerIds] } } },
        { $group: { _id: "$lease.runnerId", count: { $sum: 1 } } },
      ]);
      return new Map((await found.toArray()).map(({ _id, count }) => [_id, count]));
    },

    runningOfUsers: (userIds: readonly number[]) => running("userId", userIds),
    runningInRoots: (rootIds: readonly number[]) => running("rootId", rootIds),
  };
};

export type QueueStore = ReturnType<typeof queueStore>;
