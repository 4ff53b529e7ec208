import type { Collection, WithId } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

export type Unrecorded = Pick<WithId<BuildDoc>, "_id" | "createdAt" | "auditEntry">;

/** New builds hold their entries of the audit log until the log has them. */
export const unrecordedBuilds = (builds: Collection<BuildDoc>) => ({
  /** Reads the builds of before a time that still hold an entry, oldest first. */
  unrecorded: (before: Date): AsyncIterable<Unrecorded> =>
    builds
      .find(
        { auditEntry: { $exists: true }, createdAt: { $lt: before } },
        { projection: { createdAt: 1, auditEntry: 1 }, readConcern: "majority", batchSize: 200 },
      )
      .sort({ createdAt: 1 }),

  /** Removes entries that the log has. If this write is lost, they are stored again, which has no effect. */
  async recorded(ids: readonly number[]): Promise<void> {
    const quick = { writeConcern: { w: 1, journal: false } };
    await builds.updateMany({ _id: { $in: [...ids] } }, { $unset: { auditEntry: true } }, quick);
  },
});
