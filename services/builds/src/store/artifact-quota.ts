import { type ByteLimit, byteComplaints } from "@ci/kit/mongo/byte-quota";
import type { Quota } from "@ci/kit/mongo/quota";
import type { Db } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

/** An artifact that is about to be recorded. */
export interface NewArtifact {
  readonly buildId: number;
  readonly blobId: string;
}

/** Limits the bytes of all artifacts of a user's builds, pinned or not. `amount` is what a new artifact adds. */
export function artifactQuota(db: Db, userId: number, limit: ByteLimit, amount: number): Quota {
  const builds = db.collection<BuildDoc>("builds");

  async function usedOutside(buildIds: readonly number[]): Promise<number> {
    const matching = { userId, artifactBytes: { $gt: 0 }, ...(buildIds.length > 0 && { _id: { $nin: buildIds } }) };
    const sum = { $group: { _id: null, bytes: { $sum: "$artifactBytes" } } };
    const [found] = await builds.aggregate<{ bytes: number }>([{ $match: matching }, sum]).toArray();
    return found?.bytes ?? 0;
  }

  async function usedIn(buildIds: readonly number[], except: ReadonlySet<string>): Promise<number> {
    const projection = { "artifacts.blobId": 1, "artifacts.size": 1 };
    const found = await builds.find({ _id: { $in: [...buildIds] } }, { projection }).toArray();
    const stored = found.flatMap(({ artifacts }) => artifacts).filter(({ blobId }) => blobId && !except.has(blobId));
    return stored.reduce((sum, { size = 0 }) => sum + size, 0);
  }

  return {
    key: `artifacts/${userId}`,
    max: limit.max,
    amount,
    sums: true,
    async used(except) {
      const added = except as readonly NewArtifact[];
      // No build matches both queries, so an artifact that is recorded between them counts at most once.
      const buildIds = [...new Set(added.map(({ buildId }) => buildId))];
      const outside = await usedOutside(buildIds);
      return buildIds.length === 0
        ? outside
        : outside + (await usedIn(buildIds, new Set(added.map(({ blobId }) => blobId))));
    },
    complaints: (used) => byteComplaints(limit, used),
  };
}
