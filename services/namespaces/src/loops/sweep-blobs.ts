import type { ResourceParts } from "../resource-parts.js";

/** Longer than any upload of an object takes. */
const untouchedMs = 24 * 60 * 60_000;

/** Removes bytes that no object refers to, left by uploads and deletions that were interrupted; answers how many. */
export const sweepBlobs = ({
  objects,
  objectBlobs,
  now,
}: Pick<ResourceParts, "objects" | "objectBlobs"> & { now: () => Date }): Promise<number> =>
  objectBlobs.sweep(new Date(now().getTime() - untouchedMs), objects.uses);
