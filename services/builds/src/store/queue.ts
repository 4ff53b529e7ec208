import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Db } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

interface Turn {
  _id: number;
  /** When a build of this user was last handed out. */
  at: Date;
}

/** Builds of one user that a claim looks at, while limits hold back the older ones. */
const mostLookedAt = 20;

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

    /** Remembers that a user's build was handed out. A turn that a crash forgets is had once more. */
    tookTurn: (userId: number, at: Date) =>
      turns.updateOne({ _id: userId }, { $set: { at } }, { upsert: true, writeConcern: { w: 1, journal: false } }),

    /** A user's queued builds, oldest first. The first one is mostly the one that is taken, so it is read alone. */
    async *oldest(userId: number, drivers: readonly Driver_Type[]): AsyncGenerator<BuildDoc> {
      const waiting = () => builds.find({ ...queued(drivers), userId }).sort({ createdAt: 1, _id: 1 });
      const first = await waiting().limit(1).next();
      if (!first) return;
      yield first;
      yield* waiting().skip(1).limit(mostLookedAt);
    },

    runningOfUser: (userId: number) => builds.countDocuments({ status: "running", userId }),
    runningInRoot: (rootId: number) => builds.countDocuments({ status: "running", rootId }),
  };
};

export type QueueStore = ReturnType<typeof queueStore>;
