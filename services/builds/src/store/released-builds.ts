import type { Collection } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

const maxReleased = 500;
const release = [
  { $set: { ownerId: "$userId", rev: { $add: ["$rev", 1] } } },
  { $unset: ["namespaceId", "rootId", "ancestorIds"] },
];

export const releasedBuilds = (builds: Collection<BuildDoc>) => ({
  /**
   * Moves builds out of a deleted namespace to their submitters, up to 500 at once; running builds continue. Returns
   * whether there may be more. The new revision makes concurrent changes read the build again.
   */
  async releaseFrom(namespaceId: number): Promise<boolean> {
    const found = await builds.find({ namespaceId }, { projection: { _id: 1 } }).limit(maxReleased).toArray();
    if (found.length > 0) await builds.updateMany({ _id: { $in: found.map(({ _id }) => _id) }, namespaceId }, release);
    return found.length === maxReleased;
  },

  /** Moves one build out of a deleted namespace. */
  async release(id: number, namespaceId: number): Promise<void> {
    await builds.updateOne({ _id: id, namespaceId }, release);
  },
});
