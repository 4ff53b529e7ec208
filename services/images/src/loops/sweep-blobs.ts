import type { Context } from "../context.js";

/** Longer than any upload or download may go without writing. */
const untouchedMs = 24 * 60 * 60_000;

/** Deletes content without an image, left by interrupted uploads and deletions. Returns the number of blobs deleted. */
export const sweepBlobs = ({ contents, images, now }: Pick<Context, "contents" | "images" | "now">): Promise<number> =>
  contents.sweep(new Date(now().getTime() - untouchedMs), images.uses);
