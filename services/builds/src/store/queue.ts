import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Build_Status } from "@ci/proto/builds/v1/builds";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Db } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

const maxCounted = fixedLimit({
  max: 100_000,
  about: "builds that the metrics count",
  effect: "more are shown as this number",
});
/** How many namespace trees of one user a claim searches while limits hold back others. */
const maxRoots = 50;

/** Selects builds that do not wait for a member's approval. */
export const claimable = { awaitsApproval: { $exists: false } } as const;

interface Oldest {
  readonly doc: BuildDoc | undefined;
  readonly isOnly: boolean;
}

export const queueStore = (db: Db) => {
  const builds = db.collection<BuildDoc>("builds");
  const queued = (driver: Driver_Type, userId: number) => ({
    status: "queued" as const,
    "driver.type": driver,
    userId,
    ...claimable,
  });
  const byAge = { createdAt: 1, _id: 1 } as const;

  /** Counts the running builds for each value of a field. */
  async function running(field: "userId" | "rootId", values: readonly number[]): Promise<Map<number, number>> {
    if (values.length === 0) return new Map();
    const found = builds.aggregate<{ _id: number; count: number }>([
      { $match: { status: "running", [field]: { $in: [...values] } } },
      { $group: { _id: `$${field}`, count: { $sum: 1 } } },
    ]);
    return new Map((await found.toArray()).map(({ _id, count }) => [_id, count]));
  }

  /** Returns the oldest queued build of each tree except these, and of those without a tree. */
  async function oldestOfEach(driver: Driver_Type, userId: number, except: readonly number[]): Promise<BuildDoc[]> {
    const roots = await builds.distinct("rootId", queued(driver, userId));
    const others = roots.filter((root) => typeof root === "number" && !except.includes(root)).slice(0, maxRoots);
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
    /** Returns a user's oldest queued build that is not in one of these trees, and whether it is the only queued one. */
    async oldest(driver: Driver_Type, userId: number, exceptRoots: readonly number[]): Promise<Oldest> {
      if (exceptRoots.length === 0) {
        const [doc, ...more] = await builds.find(queued(driver, userId)).sort(byAge).limit(2).toArray();
        return { doc, isOnly: more.length === 0 };
      }
      const found = await oldestOfEach(driver, userId, exceptRoots);
      const [doc] = found.sort((a, b) => a.createdAt!.getTime() - b.createdAt!.getTime() || a._id - b._id);
      return { doc, isOnly: false };
    },

    firstIds: (driver: Driver_Type, userId: number, max: number): Promise<number[]> =>
      builds
        .find(queued(driver, userId), { projection: { _id: 1 } })
        .sort(byAge)
        .limit(max)
        .map((doc) => doc._id)
        .toArray(),

    waitingUsers: (driver: Driver_Type): Promise<number[]> =>
      builds.distinct("userId", { status: "queued", "driver.type": driver }),

    /** Counts the builds of a status, up to 100,000. */
    count: (status: Build_Status, driver: Driver_Type): Promise<number> =>
      builds.countDocuments({ status, "driver.type": driver }, { limit: maxCounted }),

    oldestSince: async (driver: Driver_Type): Promise<Date | undefined> => {
      const waiting = builds.find(
        { status: "queued", "driver.type": driver, ...claimable },
        { projection: { createdAt: 1 } },
      );
      return (await waiting.sort({ createdAt: 1 }).limit(1).next())?.createdAt;
    },

    runningOfUsers: (userIds: readonly number[]) => running("userId", userIds),
    runningInRoots: (rootIds: readonly number[]) => running("rootId", rootIds),
  };
};

export type QueueStore = ReturnType<typeof queueStore>;
