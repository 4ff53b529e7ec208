import { duplicateKey } from "@ci/kit/mongo/mongo";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Db } from "mongodb";
import type { Standing } from "../domain/line.js";

/** A user with queued builds of one driver, in the line of those who wait for their turn. */
export interface Place {
  /** `<driver>/<user id>` */
  readonly _id: string;
  readonly driver: Driver_Type;
  readonly userId: number;
  /** Since when they wait for a turn, by the clock of MongoDB, which all replicas share: the smallest is next. */
  readonly at: Date;
  /** How many turns they have had: decides among those of the same millisecond. */
  readonly turns: number;
  /** Counts the builds that were queued: tells whether one came while we looked for one. */
  readonly joined: number;
}

const inTurn = { at: 1, turns: 1, _id: 1 } as const;
const oneMore = (field: string) => ({ $add: [{ $ifNull: [field, 0] }, 1] });
const idOf = (driver: Driver_Type, userId: number) => `${driver}/${userId}`;
/** The line can be made again from the builds, so its writes need not wait for the disk. */
const quick = { writeConcern: { w: 1, journal: false } } as const;

/**
 * Who is next. One line for each driver, one place in it for each user with queued builds, so that a claim costs the
 * same however many builds and users wait. Nothing here is binding: a claim is one conditional write to the build.
 */
export const lineStore = (db: Db) => {
  const line = db.collection<Place>("line");

  /** How many builds of these users wait, each counted up to `most`. */
  async function waiting(driver: Driver_Type, userIds: readonly number[], most: number): Promise<Map<number, number>> {
    const queued = [
      { $match: { status: "queued", "driver.type": driver } },
      { $limit: most },
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
    /** Puts users at the end of a line, unless they stand in it. Comes after the write that queues the build. */
    async join(driver: Driver_Type, userIds: readonly number[]): Promise<void> {
      const puts = userIds.map((userId) => ({
        updateOne: {
          filter: { _id: idOf(driver, userId) },
          update: [{ $set: { driver, userId, at: { $ifNull: ["$at", "$$NOW"] }, joined: oneMore("$joined") } }],
          upsert: true,
        },
      }));
      if (puts.length === 0) return;
      const put = () => line.bulkWrite(puts, { ordered: false, ...quick });
      // Two that join at once may both try to make the place; the one that lost finds it now.
      await put().catch((error) => {
        if (!duplicateKey(error)) throw error;
        return put();
      });
    },

    /** Gives the next user of these lines a turn and sends them to the end: two claims at once serve two users. */
    next: (drivers: readonly Driver_Type[]): Promise<Place | null> =>
      line.findOneAndUpdate(
        { driver: { $in: [...drivers] } },
        // Later than before also within the same millisecond: else one user would have turn after turn in it.
        [{ $set: { at: { $max: ["$$NOW", { $add: ["$at", 1] }] }, turns: oneMore("$turns") } }],
        { sort: inTurn, returnDocument: "after", ...quick },
      ),

    /** Takes a user out whose builds are gone; no effect if one was queued since the place was read. */
    leave: ({ _id, joined }: Place) => line.deleteOne({ _id, joined }, quick),

    /** The users among these who are not in the line. */
    async missing(driver: Driver_Type, userIds: readonly number[]): Promise<number[]> {
      const found = line.find({ _id: { $in: userIds.map((userId) => idOf(driver, userId)) } }).project({ userId: 1 });
      const standing = new Set(await found.map(({ userId }) => userId as number).toArray());
      return userIds.filter((userId) => !standing.has(userId));
    },

    /**
     * A line from its head, with how many builds of each user wait: as far, and counted as far, as it takes to know
     * who gets the next `most` turns. Looks at no more than `most` users and about four times `most` builds.
     */
    async standing(driver: Driver_Type, most: number): Promise<Standing[]> {
      const places = line.find({ driver }).sort(inTurn).limit(most);
      const users = await places
        .project({ userId: 1 })
        .map(({ userId }) => userId as number)
        .toArray();
      const counts = new Map<number, number>();
      let open = users;
      for (let depth = Math.max(1, Math.floor(most / (users.length || 1))); open.length > 0; depth *= 2) {
        for (const [userId, count] of await waiting(driver, open, depth)) counts.set(userId, count);
        const sum = [...counts.values()].reduce((total, count) => total + count, 0);
        open = sum < most ? open.filter((userId) => (counts.get(userId) ?? 0) >= depth) : [];
      }
      return users.map((userId) => ({ userId, waiting: counts.get(userId) ?? 0 }));
    },
  };
};

export type LineStore = ReturnType<typeof lineStore>;
