import { duplicateKey, onlyRefusedBy } from "@ci/kit/mongo/duplicates";
import { nextId } from "@ci/kit/mongo/ids";
import type { Collection, Db, OptionalUnlessRequiredId } from "mongodb";
import type { BuildDoc } from "../domain/build.js";
import { renumbered } from "../domain/renumbered.js";
import { numberIndex } from "./indexes.js";

type NewBuild = OptionalUnlessRequiredId<BuildDoc>;

/** The builds of a group until all of them are stored. One write stores all of them, or none after a crash. */
interface PendingGroup {
  _id: number;
  /** The cron run or the delivery's manifest that makes the group; each makes one. */
  readonly key?: string;
  readonly docs: readonly BuildDoc[];
  readonly renumbered?: number;
}

function keyOf({ cronId, cronDueAt, origin }: BuildDoc): string | undefined {
  if (cronDueAt) return `cron/${cronId}/${cronDueAt.getTime()}`;
  return origin?.deliveryId === undefined ? undefined : `delivery/${origin.deliveryId}/${origin.path}`;
}

/** The builds of a group as they are stored. `isNew` means that this call has stored all of them. */
interface StoredGroup {
  readonly docs: readonly BuildDoc[];
  readonly isNew: boolean;
}

type Outcome = "new" | "existing" | "number taken";

/** Stores builds. After a crash MongoDB may give a number that a living process has, too. */
async function storeOthers(builds: Collection<BuildDoc>, others: readonly NewBuild[]): Promise<Outcome> {
  try {
    await builds.insertMany(others, { ordered: false });
    return "new";
  } catch (error) {
    if (onlyRefusedBy("_id_", error)) return "existing";
    if (onlyRefusedBy(["_id_", numberIndex], error)) return "number taken";
    throw error;
  }
}

/** Stores groups of builds. `pending` holds each until its builds are stored; a loop completes what was interrupted. */
export const groupStore = (db: Db, builds: Collection<BuildDoc>) => {
  const pending = db.collection<PendingGroup>("groups");

  /** Gives other numbers to the builds that are not stored, unless another process has done so. Returns the group. */
  async function renumber({ _id, docs, renumbered: times }: PendingGroup): Promise<PendingGroup | null> {
    const ids = docs.map((doc) => doc._id);
    const stored = await builds.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray();
    const isStored = new Set(stored.map((doc) => doc._id));
    let number = await nextId(db, `builds/${docs[0]!.userId}`, docs.length - isStored.size);
    const next = docs.map((doc) => (isStored.has(doc._id) ? doc : renumbered(doc, number++)));
    await pending.updateOne(
      { _id, renumbered: times ?? { $exists: false } },
      { $set: { docs: next, renumbered: (times ?? 0) + 1 } },
    );
    return pending.findOne({ _id });
  }

  /** Stores the group's missing builds and returns all of them. Throws a duplicate key error if its run has other builds. */
  async function unfold(group: PendingGroup): Promise<StoredGroup> {
    const { _id, docs } = group;
    const [first, ...others] = docs as NewBuild[];
    let isNew = true;
    try {
      await builds.insertOne(first!);
    } catch (error) {
      if (!duplicateKey(error)) throw error;
      if (!(await builds.findOne({ _id }, { projection: { _id: 1 } }))) {
        await pending.deleteOne({ _id });
        throw error;
      }
      isNew = false;
    }
    const outcome = await storeOthers(builds, others);
    const next = outcome === "number taken" && (await renumber(group));
    if (next) return unfold(next);
    isNew &&= outcome === "new";
    // Another process may have stored them with other numbers. The deletion waits until a majority has what is read.
    const existing = builds.find({ _id: { $in: docs.map((doc) => doc._id) } }).sort({ _id: 1 });
    const stored = isNew ? docs : await existing.toArray();
    await pending.deleteOne({ _id });
    return { docs: stored, isNew };
  }

  return {
    /** Stores a new group. Throws a duplicate key error if its run or delivery has builds: then they are stored. */
    async insertGroup(docs: readonly BuildDoc[]): Promise<StoredGroup> {
      const group = { _id: docs[0]!._id, key: keyOf(docs[0]!), docs };
      try {
        await pending.insertOne(group);
      } catch (error) {
        const earlier = duplicateKey(error) && group.key && (await pending.findOne({ key: group.key }));
        if (earlier) await unfold(earlier);
        throw error;
      }
      return unfold(group);
    },

    /** Completes this or up to 20 pending groups, even if their process still stores them. Returns the number of builds. */
    async completeGroups(announce: (docs: readonly BuildDoc[]) => Promise<void>, id?: number): Promise<number> {
      const groups = pending.find({ _id: id ?? { $gt: 0 } }, { projection: { _id: 1 } }).limit(20);
      const failures: unknown[] = [];
      let completed = 0;
      for (const { _id } of await groups.toArray()) {
        try {
          const group = await pending.findOne({ _id });
          const docs = group ? (await unfold(group)).docs : [];
          completed += docs.length;
          await announce(docs);
        } catch (error) {
          if (!duplicateKey(error)) failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
      return completed;
    },
  };
};
