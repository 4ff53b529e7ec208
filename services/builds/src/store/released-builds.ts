import type { Collection } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

const maxReleased = 500;
const release = [
  { $set: { ownerId: "$userId", rev: { $add: ["$rev", 1] } } },
  { $unset: ["namespaceId", "rootId", "ancestorIds"] },
];

export const releasedBuilds = (builds: Collection<BuildDoc>) => ({
  /** Moves up to 500 builds out of a deleted namespace to their submitters. Returns whether there may be more. */
  async releaseFrom(namespaceId: number): Promise<boolean> {
    const found = await builds
      .find({ namespaceId }, { projection: { _id: 1 } })
      .limit(maxReleased)
      .toArray();
    if (found.length > 0) await builds.updateMany({ _id: { $in: found.map(({ _id }) => _id) }, namespaceId }, release);
    return found.length === maxReleased;
  },

  async release(id: number, namespaceId: number): Promise<void> {
    await builds.updateOne({ _id: id, namespaceId }, release);
  },
});
