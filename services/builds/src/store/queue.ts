import type { Build_Status } from "@ci/proto/builds/v1/builds";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Db } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

/** Builds that are counted at most. */
const mostCounted = 100_000;
/** Trees of one user that a claim looks into, while limits hold back the others. */
const mostRoots = 50;

/** The builds as the queue sees them: who waits, who runs. */
export const queueStore = (db: Db) => {
  const builds = db.collection<BuildDoc>("builds");
  const queued = (driver: Driver_Type, userId: number) => ({
    status: "queued" as const,
    "driver.type": driver,
    userId,
  });
  const byAge = { createdAt: 1, _id: 1 } as const;

  /** How many builds run of each value of a field. */
  async function running(field: "userId" | "rootId", values: readonly number[]): Promise<Map<number, number>> {
    if (values.length === 0) return new Map();
    const found = builds.aggregate<{ _id: number; count: number }>([
      { $match: { status: "running", [field]: { $in: [...values] } } },
      { $group: { _id: `$${field}`, count: { $sum: 1 } } },
    ]);
    return new Map((await found.toArray()).map(({ _id, count }) => [_id, count]));
  }

  /** The oldest build of each tree, and of those that lie in none. */
  async function oldestOfEach(driver: Driver_Type, userId: number, but: readonly number[]): Promise<BuildDoc[]> {
    const roots = await builds.distinct("rootId", queued(driver, userId));
    const others = roots.filter((root) => typeof root === "number" && !but.includes(root)).slice(0, mostRoots);
    const found = [undefined, ...others].map((root) =>
      builds
        .find({ ...queued(driver, userId), rootId: root ?? { $exists: false } })
        .sort(byAge)
        .limit(1)
        .next(),
    );
    return (await Promise.all(found)).filter((doc) => doc !== null);
  }

  return {
    /** The oldest queued build of a user, of those that do not lie in a tree of `but`. */
    async oldest(driver: Driver_Type, userId: number, but: readonly number[]): Promise<BuildDoc | undefined> {
      if (but.length === 0) return (await builds.find(queued(driver, userId)).sort(byAge).limit(1).next()) ?? undefined;
      const found = await oldestOfEach(driver, userId, but);
      return found.sort((a, b) => a.createdAt!.getTime() - b.createdAt!.getTime() || a._id - b._id)[0];
    },

    /** Ids of the first queued builds of a user, oldest first. */
    firstIds: (driver: Driver_Type, userId: number, most: number): Promise<number[]> =>
      builds
        .find(queued(driver, userId), { projection: { _id: 1 } })
        .sort(byAge)
        .limit(most)
        .map((doc) => doc._id)
        .toArray(),

    /** Users with queued builds. */
    waitingUsers: (driver: Driver_Type): Promise<number[]> =>
      builds.distinct("userId", { status: "queued", "driver.type": driver }),

    /** How many builds are in a state, up to 100,000. */
    count: (status: Build_Status, driver: Driver_Type): Promise<number> =>
      builds.countDocuments({ status, "driver.type": driver }, { limit: mostCounted }),

    /** Since when the oldest queued build of any user waits. */
    oldestSince: async (driver: Driver_Type): Promise<Date | undefined> => {
      const waiting = builds.find({ status: "queued", "driver.type": driver }, { projection: { createdAt: 1 } });
      return (await waiting.sort({ createdAt: 1 }).limit(1).next())?.createdAt;
    },

    runningOfUsers: (userIds: readonly number[]) => running("userId", userIds),
    runningInRoots: (rootIds: readonly number[]) => running("rootId", rootIds),
  };
};

export type QueueStore = ReturnType<typeof queueStore>;
