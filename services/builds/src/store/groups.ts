import { duplicateKey, onlyRefusedBy } from "@ci/kit/mongo/mongo";
import type { Collection, Db, OptionalUnlessRequiredId } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

/** The builds of a group until all of them are stored. One write stores all of them, or none after a crash. */
interface PendingGroup {
  _id: number;
  /** The cron run or the delivery's manifest that makes the group; each makes one. */
  readonly key?: string;
  readonly docs: readonly BuildDoc[];
}

function keyOf({ cronId, cronDueAt, origin }: BuildDoc): string | undefined {
  if (cronDueAt) return `cron/${cronId}/${cronDueAt.getTime()}`;
  return origin?.deliveryId === undefined ? undefined : `delivery/${origin.deliveryId}/${origin.path}`;
}

/** Stores groups of builds. `pending` holds each until its builds are stored; a loop completes what was interrupted. */
export const groupStore = (db: Db, builds: Collection<BuildDoc>) => {
  const pending = db.collection<PendingGroup>("groups");

  /** Stores the group's missing builds. Throws a duplicate key error if its run has other builds. */
  async function unfold({ _id, docs }: PendingGroup): Promise<void> {
    const [first, ...others] = docs as OptionalUnlessRequiredId<BuildDoc>[];
    try {
      await builds.insertOne(first!);
    } catch (error) {
      if (!duplicateKey(error)) throw error;
      if (!(await builds.findOne({ _id }, { projection: { _id: 1 } }))) {
        await pending.deleteOne({ _id });
        throw error;
      }
    }
    await builds.insertMany(others, { ordered: false }).catch((error) => {
      if (!onlyRefusedBy("_id_", error)) throw error;
    });
    await pending.deleteOne({ _id });
  }

  return {
    /** Stores the builds of a new group. Throws a duplicate key error if its run or delivery has builds: then they are stored. */
    async insertGroup(docs: readonly BuildDoc[]): Promise<void> {
      const group = { _id: docs[0]!._id, key: keyOf(docs[0]!), docs };
      try {
        await pending.insertOne(group);
      } catch (error) {
        const earlier = duplicateKey(error) && group.key && (await pending.findOne({ key: group.key }));
        if (earlier) await unfold(earlier);
        throw error;
      }
      await unfold(group);
    },

    /** Completes up to 20 pending groups, even if their process is still storing them. Returns their builds. */
    async completeGroups(): Promise<BuildDoc[]> {
      const groups = await pending
        .find({ _id: { $gt: 0 } })
        .limit(20)
        .toArray();
      const completed: BuildDoc[] = [];
      const failures: unknown[] = [];
      for (const group of groups)
        await unfold(group).then(
          () => completed.push(...group.docs),
          (error) => duplicateKey(error) || failures.push(error),
        );
      if (completed.length === 0 && failures.length > 0) throw failures[0];
      return completed;
    },
  };
};
