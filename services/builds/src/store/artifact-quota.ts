import { type ByteLimit, byteComplaints } from "@ci/kit/mongo/byte-quota";
import type { Quota } from "@ci/kit/mongo/quota";
import type { Db } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

/** An artifact that is about to be recorded. */
interface NewArtifact {
  readonly buildId: number;
  readonly blobId: string;
}

interface ArtifactUpload {
  readonly buildId: number;
  readonly bytes: number;
  readonly replacedBlobIds: readonly string[];
}

type StoredArtifact = Pick<BuildDoc["artifacts"][number], "blobId" | "size">;

const sumOf = (artifacts: readonly StoredArtifact[]): number => artifacts.reduce((sum, { size = 0 }) => sum + size, 0);

/** Limits the bytes of all artifacts of a user's builds, pinned or not. What the upload replaces makes room for it. */
export function artifactQuota(
  db: Db,
  userId: number,
  limit: ByteLimit,
  { buildId, bytes, replacedBlobIds }: ArtifactUpload,
): Quota {
  const builds = db.collection<BuildDoc>("builds");

  async function usedOutside(buildIds: readonly number[]): Promise<number> {
    const matching = { userId, artifactBytes: { $gt: 0 }, ...(buildIds.length > 0 && { _id: { $nin: buildIds } }) };
    const sum = { $group: { _id: null, bytes: { $sum: "$artifactBytes" } } };
    const [found] = await builds.aggregate<{ bytes: number }>([{ $match: matching }, sum]).toArray();
    return found?.bytes ?? 0;
  }

  async function storedIn(buildIds: readonly number[], except: ReadonlySet<string>): Promise<StoredArtifact[]> {
    const projection = { "artifacts.blobId": 1, "artifacts.size": 1 };
    const found = await builds.find({ _id: { $in: [...buildIds] } }, { projection }).toArray();
    return found.flatMap(({ artifacts }) => artifacts).filter(({ blobId }) => blobId && !except.has(blobId));
  }

  return {
    key: `artifacts/${userId}`,
    max: limit.max,
    amount: bytes,
    sums: true,
    async used(except) {
      const added = except as readonly NewArtifact[];
      // No build matches both queries, so an artifact that is recorded between them counts at most once.
      const own = replacedBlobIds.length > 0 ? [buildId] : [];
      const buildIds = [...new Set([...own, ...added.map((one) => one.buildId)])];
      const outside = await usedOutside(buildIds);
      if (buildIds.length === 0) return outside;
      const stored = await storedIn(buildIds, new Set(added.map(({ blobId }) => blobId)));
      const freed = sumOf(stored.filter(({ blobId }) => replacedBlobIds.includes(blobId!)));
      // Subtract no more than the upload adds: it may still fail and replace nothing.
      return outside + sumOf(stored) - Math.min(freed, bytes);
    },
    complaints: (used) => byteComplaints(limit, used),
  };
}
