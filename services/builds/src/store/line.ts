import { randomInt } from "node:crypto";
import { duplicateKey } from "@ci/kit/mongo/mongo";
import { batched } from "@ci/kit/process/batch";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Collection, Db } from "mongodb";
import type { Standing } from "../domain/line.js";
import { leavingUsers } from "./leaving.js";
import { claimable } from "./oldest-builds.js";

/** A user with queued builds of one driver, and their place in that driver's line. */
export interface WaitingUser {
  /** `<driver>/<user id>` */
  readonly _id: string;
  readonly driver: Driver_Type;
  readonly userId: number;
  /** When the user began to wait for a turn, by the clock of MongoDB. The earliest is next. */
  readonly at: Date;
  /** How many turns the user has had; the tiebreaker within a millisecond. */
  readonly turns: number;
  /** A new random number for each queued build, to detect a build that was queued during a claim. */
  readonly joined: number;
}

const inTurn = { at: 1, turns: 1, _id: 1 } as const;
const oneMore = (field: string) => ({ $add: [{ $ifNull: [field, 0] }, 1] });
const maxJoined = 2 ** 48 - 1;
const idOf = (driver: Driver_Type, userId: number) => `${driver}/${userId}`;
/** The line can be rebuilt from the builds, so its writes need not wait for the disk. */
const quick = { writeConcern: { w: 1, journal: false } } as const;

interface Joining extends Pick<WaitingUser, "driver" | "userId"> {
  /** The user's `joined` if the user was leaving. */
  readonly left: WaitingUser["joined"] | undefined;
}

/** Returns a function that adds a user to a line. Concurrent calls share a write, which begins after all of them. */
const joiner = (line: Collection<WaitingUser>) =>
  batched({ maxItems: 1_000, waitMs: 0 }, async (asks: readonly Joining[]) => {
    const returning = { $in: ["$joined", asks.flatMap(({ left }) => left ?? [])] };
    const at = { $cond: [returning, { $max: ["$at", "$$NOW"] }, { $ifNull: ["$at", "$$NOW"] }] };
    const users = new Map(asks.map((ask) => [idOf(ask.driver, ask.userId), ask]));
    const puts = [...users].map(([_id, { driver, userId }]) => ({
      updateOne: {
        filter: { _id },
        update: [{ $set: { driver, userId, at, joined: randomInt(maxJoined) } }],
        upsert: true,
      },
    }));
    const put = () => line.bulkWrite(puts, { ordered: false, ...quick });
    // Two replicas may both try to insert a user. The one that failed finds it now.
    await put().catch((error) => {
      if (!duplicateKey(error)) throw error;
      return put();
    });
    return asks;
  });

/** One line of users per driver, who take turns: a claim costs the same however many builds wait. It is only a hint. */
export const lineStore = (db: Db) => {
  const line = db.collection<WaitingUser>("line");
  const joinSoon = joiner(line);
  const leaving = leavingUsers((users) => {
    const removals = users.map((user) => ({ deleteOne: { filter: user } }));
    return line.bulkWrite(removals, { ordered: false, ...quick });
  });

  /** Counts the queued builds of each of these users, up to `max`. */
  async function waiting(driver: Driver_Type, userIds: readonly number[], max: number): Promise<Map<number, number>> {
    const queued = [
      { $match: { status: "queued", "driver.type": driver, ...claimable } },
      { $limit: max },
      { $group: { _id: null, count: { $sum: 1 } } },
    ];
    const found = line.aggregate<{ userId: number; queued: { count: number }[] }>([
      { $match: { _id: { $in: userIds.map((userId) => idOf(driver, userId)) } } },
      { $lookup: { from: "builds", localField: "userId", foreignField: "userId", pipeline: queued, as: "queued" } },
      { $project: { userId: 1, "queued.count": 1 } },
    ]);
    return new Map((await found.toArray()).map((one) => [one.userId, one.queued[0]?.count ?? 0]));
  }

  return {
    /** Adds users at the end of a line, if they are not in it. Call it after the write that queues the build. */
    async join(driver: Driver_Type, userIds: readonly number[]): Promise<void> {
      const joining = userIds.map((userId) => ({ driver, userId, left: leaving.keep(idOf(driver, userId)) }));
      await Promise.all(joining.map(joinSoon));
    },

    /** Gives the next user a turn and moves them to the end, so that concurrent claims serve different users. */
    next: (drivers: readonly Driver_Type[]): Promise<WaitingUser | null> =>
      line.findOneAndUpdate(
        { driver: { $in: [...drivers] }, ...leaving.others() },
        // The time must increase. Otherwise one user could get several turns within a millisecond.
        [{ $set: { at: { $max: ["$$NOW", { $add: ["$at", 1] }] }, turns: oneMore("$turns") } }],
        { sort: inTurn, returnDocument: "after", ...quick },
      ),

    /** Removes a user without queued builds a moment later, unless one is queued after the user was read. */
    leave: (user: Pick<WaitingUser, "_id" | "joined">): void => leaving.add(user),

    /** Reports whether somebody else waits. */
    async hasOthers(drivers: readonly Driver_Type[], { _id }: Pick<WaitingUser, "_id">): Promise<boolean> {
      const others = { driver: { $in: [...drivers] }, _id: { $ne: _id }, ...leaving.others() };
      return (await line.findOne(others, { projection: { _id: 1 } })) !== null;
    },

    async missing(driver: Driver_Type, userIds: readonly number[]): Promise<number[]> {
      const found = line.find({ _id: { $in: userIds.map((userId) => idOf(driver, userId)) } }).project({ userId: 1 });
      const inLine = new Set(await found.map(({ userId }) => userId as number).toArray());
      return userIds.filter((userId) => !inLine.has(userId));
    },

    /** Reads what the next `max` turns need: at most `max` users and about four times `max` builds. */
    async standing(driver: Driver_Type, max: number): Promise<Standing[]> {
      const places = line
        .find({ driver, ...leaving.others() })
        .sort(inTurn)
        .limit(max);
      const users = await places
        .project({ userId: 1 })
        .map(({ userId }) => userId as number)
        .toArray();
      const counts = new Map<number, number>();
      let open = users;
      for (let depth = Math.max(1, Math.floor(max / (users.length || 1))); open.length > 0; depth *= 2) {
        for (const [userId, count] of await waiting(driver, open, depth)) counts.set(userId, count);
        const sum = [...counts.values()].reduce((total, count) => total + count, 0);
        open = sum < max ? open.filter((userId) => (counts.get(userId) ?? 0) >= depth) : [];
      }
      return users.map((userId) => ({ userId, waiting: counts.get(userId) ?? 0 }));
    },
  };
};

export type LineStore = ReturnType<typeof lineStore>;
