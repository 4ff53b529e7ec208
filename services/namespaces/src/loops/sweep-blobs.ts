import type { Context } from "../context.js";

/** Longer than an upload of an object can pause between writes. */
const untouchedMs = 24 * 60 * 60_000;

/** Deletes content without an object, left by interrupted uploads and deletions. Returns the number of blobs deleted. */
export const sweepBlobs = ({
  objects,
  objectBlobs,
  now,
}: Pick<Context, "objects" | "objectBlobs" | "now">): Promise<number> =>
  objectBlobs.sweep(new Date(now().getTime() - untouchedMs), objects.uses);
