import type { Context } from "../context.js";

/** Longer than a sender may take for what is stored between two signs of life. */
const untouchedMs = 24 * 60 * 60_000;

/** Removes bytes that no image refers to, left by uploads and deletions that were interrupted; answers how many. */
export const sweepBlobs = ({ contents, images, now }: Pick<Context, "contents" | "images" | "now">): Promise<number> =>
  contents.sweep(new Date(now().getTime() - untouchedMs), images.uses);
