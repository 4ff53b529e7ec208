import { randomUUID } from "node:crypto";
import { duplicateKey } from "@ci/kit/mongo/mongo";
import type { Db } from "mongodb";
import { type BuildDoc, isFinal } from "../domain/build.js";

interface Held {
  readonly id: string;
  readonly buildId: number;
  /** When it was taken, by the clock of MongoDB. */
  readonly at: Date;
}

/** Those who run under one limit: `user/<id>` or `root/<id>`. */
interface SlotsDoc {
  _id: string;
  held: readonly Held[];
}

/** A right to run one build more under a limit. */
export interface Slot {
  readonly key: string;
  readonly id: string;
}

/** A claim takes milliseconds: so long after a slot was taken for it, a build that is still queued is not being claimed. */
const claimMs = 10_000;

/**
 * Limits on builds that run at the same time. A slot is taken before the claim, by one conditional write, so that many
 * claims at once cannot go beyond a limit together. Nobody gives slots back when builds end: whoever finds all of them
 * taken looks which are still in use.
 */
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
      // There is such a document, and it is full.
      if (duplicateKey(error)) return false;
      throw error;
    }
  }

  /** Takes back the slots of builds that do not run; answers whether there were any. */
  async function reclaim(key: string): Promise<boolean> {
    const found = slots.aggregate<SlotsDoc & { now: Date }>([{ $match: { _id: key } }, { $set: { now: "$$NOW" } }]);
    const { held, now } = (await found.next()) ?? { held: [], now: new Date(0) };
    const states = builds.find({ _id: { $in: held.map(({ buildId }) => buildId) } }, { projection: { status: 1 } });
    const status = new Map(await states.map((doc) => [doc._id, doc.status] as const).toArray());
    const unused = held.filter(({ buildId, at }, index) => {
      const is = status.get(buildId);
      if (is === undefined || isFinal(is)) return true;
      // Of several that claim a build each has taken one, and nobody knows here whose it became.
      if (now.getTime() - at.getTime() <= claimMs) return false;
      // A build that was lost and claimed again has taken two.
      return is === "queued" || held.slice(index + 1).some((later) => later.buildId === buildId);
    });
    const ids = unused.map(({ id }) => id);
    if (ids.length > 0) await slots.updateOne({ _id: key }, { $pull: { held: { id: { $in: ids } } } }, quick);
    // Somebody else may have done it: then the document has room although we found nothing.
    return ids.length > 0 || held.length === 0;
  }

  return {
    /** Takes a slot for a build; undefined when `limit` builds run already. */
    async take(key: string, limit: number, buildId: number): Promise<Slot | undefined> {
      const held = { id: randomUUID(), buildId };
      if ((await put(key, limit, held)) || ((await reclaim(key)) && (await put(key, limit, held))))
        return { key, id: held.id };
      return undefined;
    },

    /** Gives a slot back whose build was not claimed. */
    give: ({ key, id }: Slot) => slots.updateOne({ _id: key }, { $pull: { held: { id } } }, quick),
  };
};

export type SlotStore = ReturnType<typeof slotStore>;
