import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Db } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

interface Turn {
  _id: number;
  /** When a build of this user was last handed out. */
  at: Date;
}

/** What a claim looks at before it takes a build. Nothing here is binding: the claim itself is one conditional write. */
export const queueStore = (db: Db) => {
  const builds = db.collection<BuildDoc>("builds");
  const turns = db.collection<Turn>("turns");
  const queued = (drivers: readonly Driver_Type[]) => ({
    status: "queued" as const,
    "driver.type": { $in: [...drivers] },
  });

  return {
    /** Users with queued builds, the one who has waited longest for a turn first. */
    async usersInTurn(drivers: readonly Driver_Type[]): Promise<number[]> {
      const users = await builds.distinct("userId", queued(drivers));
      if (users.length < 2) return users;
      const had = await turns.find({ _id: { $in: users } }).toArray();
      const last = new Map(had.map((turn) => [turn._id, turn.at.getTime()]));
      return users.sort((a, b) => (last.get(a) ?? 0) - (last.get(b) ?? 0) || a - b);
    },

    /** Remembers that a user's build was handed out. */
    tookTurn: (userId: number, at: Date) => turns.updateOne({ _id: userId }, { $set: { at } }, { upsert: true }),

    /** A user's oldest queued builds. */
    oldest: (userId: number, drivers: readonly Driver_Type[]) =>
      builds
        .find({ ...queued(drivers), userId }, { projection: { _id: 1, rootId: 1 } })
        .sort({ createdAt: 1, _id: 1 })
        .limit(20)
        .toArray(),

    runningOfUser: (userId: number) => builds.countDocuments({ status: "running", userId }),
    runningInRoot: (rootId: number) => builds.countDocuments({ status: "running", rootId }),
  };
};

export type QueueStore = ReturnType<typeof queueStore>;
