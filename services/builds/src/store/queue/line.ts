import { randomInt, randomUUID } from "node:crypto";
import { duplicateKey } from "@ci/kit/mongo/duplicates";
import { batched } from "@ci/kit/turns/batch";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Collection, Db, Filter } from "mongodb";
import type { Standing } from "../../domain/line.js";
import { leavingUsers } from "./leaving.js";
import { claimable } from "./oldest-builds.js";
import { recentJoins, trustMs } from "./recent-joins.js";

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
  /** When the user joined last, by the clock of MongoDB. Replicas of earlier versions do not set it. */
  readonly joinedAt?: Date;
  /** The process that put the user in line; `several` if more than one may still rely on it. */
  readonly joinedBy?: string;
}

export interface Turn extends WaitingUser {
  /** By the clock of MongoDB. */
  readonly turnAt?: Date;
  readonly askedMs: number;
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

const heldMs = 2 * trustMs;

/** Returns a function that adds a user to a line. Concurrent calls share a write, which begins after all of them. */
const joiner = (line: Collection<WaitingUser>, processId: string) =>
  batched({ maxItems: 1_000, waitMs: 0 }, async (asks: readonly Joining[]) => {
    const returning = { $in: ["$joined", asks.flatMap(({ left }) => left ?? [])] };
    const at = { $cond: [returning, { $max: ["$at", "$$NOW"] }, { $ifNull: ["$at", "$$NOW"] }] };
    const isOurs = {
      $or: [{ $eq: ["$joinedBy", processId] }, { $lte: ["$joinedAt", { $subtract: ["$$NOW", heldMs] }] }],
    };
    const join = { at, joinedAt: "$$NOW", joinedBy: { $cond: [isOurs, processId, "several"] } };
    const users = new Map(asks.map((ask) => [idOf(ask.driver, ask.userId), ask]));
    const puts = [...users].map(([_id, { driver, userId }]) => ({
      updateOne: {
        filter: { _id },
        update: [{ $set: { driver, userId, ...join, joined: randomInt(maxJoined) } }],
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

/** Returns a function that reads what the next `max` turns need: at most `max` users and about four times `max` builds. */
function standings(line: Collection<WaitingUser>, others: () => Filter<WaitingUser>) {
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

  return async (driver: Driver_Type, max: number): Promise<Standing[]> => {
    const places = line
      .find({ driver, ...others() })
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
  };
}

/** One line of users per driver, who take turns: a claim costs the same however many builds wait. It is only a hint. */
export const lineStore = (db: Db, now = () => performance.now()) => {
  const line = db.collection<WaitingUser>("line");
  const processId = randomUUID();
  const joinSoon = joiner(line, processId);
  const joins = recentJoins(now);
  const leaving = leavingUsers((users) => {
    for (const { _id } of users) joins.forget(_id);
    const removals = users.map((user) => ({ deleteOne: { filter: user } }));
    return line.bulkWrite(removals, { ordered: false, ...quick });
  });

  /** Adds users at the end of a line, if they are not in it. Call it after the write that queues the build. */
  async function join(driver: Driver_Type, userIds: readonly number[]): Promise<void> {
    const ends = userIds.map((userId) => joins.beginJoin(idOf(driver, userId)));
    const joining = userIds.map((userId) => ({ driver, userId, left: leaving.keep(idOf(driver, userId)) }));
    await Promise.all(joining.map(joinSoon));
    for (const end of ends) end();
  }

  return {
    join,
    standing: standings(line, leaving.others),

    /** Like `join`, but writes nothing for users whom this process added a moment ago, unless they are leaving. */
    async queued(driver: Driver_Type, userIds: readonly number[]): Promise<void> {
      const missing = userIds.filter(
        (userId) => leaving.has(idOf(driver, userId)) || !joins.noteQueued(idOf(driver, userId)),
      );
      if (missing.length > 0) await join(driver, missing);
    },

    /** Gives a turn to the next user not in `tried`, and moves them to the end, so that concurrent claims serve different users. */
    async next(drivers: readonly Driver_Type[], tried: Iterable<WaitingUser["_id"]> = []): Promise<Turn | null> {
      const askedMs = now();
      const turn = await line.findOneAndUpdate(
        { driver: { $in: [...drivers] }, _id: { $nin: [...tried] }, ...leaving.others() },
        // The time must increase. Otherwise one user could get several turns within a millisecond.
        [{ $set: { at: { $max: ["$$NOW", { $add: ["$at", 1] }] }, turns: oneMore("$turns"), turnAt: "$$NOW" } }],
        { sort: inTurn, returnDocument: "after", ...quick },
      );
      return turn && { ...turn, askedMs };
    },

    /** Removes a user without queued builds a moment later, unless one may have been queued after the turn began. */
    leave(turn: Turn): void {
      const { _id, joinedBy = processId, joinedAt = new Date(0), turnAt = joinedAt, askedMs } = turn;
      // Another process may rely on its user's place.
      if (joinedBy !== processId && turnAt.getTime() < joinedAt.getTime() + heldMs) return;
      if (!joins.mayHaveMissed(_id, askedMs)) leaving.add(turn);
    },

    async hasOthers(drivers: readonly Driver_Type[], { _id }: Pick<WaitingUser, "_id">): Promise<boolean> {
      const others = { driver: { $in: [...drivers] }, _id: { $ne: _id }, ...leaving.others() };
      return (await line.findOne(others, { projection: { _id: 1 } })) !== null;
    },

    async missing(driver: Driver_Type, userIds: readonly number[]): Promise<number[]> {
      const found = line.find({ _id: { $in: userIds.map((userId) => idOf(driver, userId)) } }).project({ userId: 1 });
      const inLine = new Set(await found.map(({ userId }) => userId as number).toArray());
      return userIds.filter((userId) => !inLine.has(userId));
    },
  };
};

export type LineStore = ReturnType<typeof lineStore>;
