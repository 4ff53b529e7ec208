import { duplicateKey } from "@ci/kit/mongo/duplicates";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Collection } from "mongodb";

/** A user whose events outside of namespaces are recorded. */
export interface Follower {
  /** The user's id. */
  readonly _id: number;
  /** When the user last had a stream open, by the clock of MongoDB. */
  readonly seenAt: Date;
  /** Until the process that records events knows the user. */
  readonly waiting?: true;
}

const maxFollowers = fixedLimit({
  max: 100_000,
  about: "users whose builds outside of namespaces are recorded for streams of events",
  effect: "those who have not followed for the longest time miss such builds",
});
const maxAdmitted = 1_000;
const anyTime = { $gt: new Date(0) };

export type Followers = ReturnType<typeof followerStore>;

export const followerStore = (followers: Collection<Follower>) => ({
  /** Notes that a user follows. Returns whether the process that records events already knows the user. */
  async see(userId: number): Promise<boolean> {
    const seen = { $currentDate: { seenAt: true }, $setOnInsert: { waiting: true } } as const;
    const see = () => followers.findOneAndUpdate({ _id: userId }, seen, { upsert: true, returnDocument: "after" });
    const follower = await see().catch((error) => {
      if (duplicateKey(error)) return see();
      throw error;
    });
    return !follower?.waiting;
  },

  async isKnown(userId: number): Promise<boolean> {
    return (await followers.findOne({ _id: userId, waiting: { $ne: true } }, { projection: { _id: 1 } })) !== null;
  },

  /** Returns the ids of all, known or not. */
  async all(): Promise<number[]> {
    const found = followers.find({ seenAt: anyTime }, { projection: { _id: 1 } });
    return (await found.sort({ seenAt: -1 }).limit(maxFollowers).toArray()).map(({ _id }) => _id);
  },

  async waiting(): Promise<number[]> {
    const found = followers.find({ waiting: true }, { projection: { _id: 1 } });
    return (await found.limit(maxAdmitted).toArray()).map(({ _id }) => _id);
  },

  async admit(userIds: readonly number[]): Promise<void> {
    await followers.updateMany({ _id: { $in: [...userIds] } }, { $unset: { waiting: true } });
  },

  async prune(before: Date): Promise<void> {
    await followers.deleteMany({ seenAt: { $lt: before } });
  },
});
