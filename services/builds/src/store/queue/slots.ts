import { randomUUID } from "node:crypto";
import { duplicateKey } from "@ci/kit/mongo/duplicates";
import type { Db } from "mongodb";
import { type BuildDoc, isFinal } from "../../domain/build.js";

interface Held {
  readonly id: string;
  readonly buildId: number;
  readonly at: Date;
}

/** The slots under one limit: `user/<id>` or `root/<id>`. */
interface SlotsDoc {
  _id: string;
  held: readonly Held[];
}

/** The right to run one more build under a limit. */
export interface Slot {
  readonly key: string;
  readonly id: string;
}

/** A claim takes milliseconds. If a build is still queued this long after its slot was taken, its claim has failed. */
const claimMs = 10_000;

/** Slots are taken before a claim and not returned when builds end. A claim without a free slot reclaims unused ones. */
export const slotStore = (db: Db) => {
  const slots = db.collection<SlotsDoc>("slots");
  const builds = db.collection<BuildDoc>("builds");
  const quick = { writeConcern: { w: 1, journal: false } } as const;

  async function put(key: string, limit: number, { id, buildId }: Omit<Held, "at">): Promise<boolean> {
    try {
      const free = { _id: key, [`held.${limit - 1}`]: { $exists: false } };
      const held = { $concatArrays: [{ $ifNull: ["$held", []] }, [{ id, buildId, at: "$$NOW" }]] };
      await slots.updateOne(free, [{ $set: { held } }], { upsert: true, ...quick });
      return true;
    } catch (error) {
      if (duplicateKey(error)) return false;
      throw error;
    }
  }

  /** Frees the slots of builds that are not running. Reports whether there is room now. */
  async function reclaim(key: string, limit: number): Promise<boolean> {
    const found = slots.aggregate<SlotsDoc & { now: Date }>([{ $match: { _id: key } }, { $set: { now: "$$NOW" } }]);
    const { held, now } = (await found.next()) ?? { held: [], now: new Date(0) };
    const states = builds.find({ _id: { $in: held.map(({ buildId }) => buildId) } }, { projection: { status: 1 } });
    const status = new Map(await states.map((doc) => [doc._id, doc.status] as const).toArray());
    const unused = held.filter(({ buildId, at }, index) => {
      const current = status.get(buildId);
      if (current === undefined || isFinal(current)) return true;
      // Each concurrent claim of a build has its own slot, and we do not know yet which claim won.
      if (now.getTime() - at.getTime() <= claimMs) return false;
      // A build that was lost and claimed again has two slots.
      return current === "queued" || held.slice(index + 1).some((later) => later.buildId === buildId);
    });
    const ids = unused.map(({ id }) => id);
    if (ids.length > 0) await slots.updateOne({ _id: key }, { $pull: { held: { id: { $in: ids } } } }, quick);
    return held.length - ids.length < limit;
  }

  return {
    async take(key: string, limit: number, buildId: number): Promise<Slot | undefined> {
      const held = { id: randomUUID(), buildId };
      if ((await put(key, limit, held)) || ((await reclaim(key, limit)) && (await put(key, limit, held))))
        return { key, id: held.id };
      return undefined;
    },

    give: ({ key, id }: Slot) => slots.updateOne({ _id: key }, { $pull: { held: { id } } }, quick),
  };
};

export type SlotStore = ReturnType<typeof slotStore>;
