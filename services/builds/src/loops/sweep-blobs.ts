import type { Context } from "../context.js";

const untouchedMs = 60 * 60_000;

/** Deletes contents without an artifact or a cache entry, left by interrupted uploads and deletions. */
export const sweepBlobs = ({
  contents,
  builds,
  caches,
  now,
}: Pick<Context, "contents" | "builds" | "caches" | "now">): Promise<number> =>
  contents.sweep(
    new Date(now().getTime() - untouchedMs),
    async (blobId) => (await builds.usesBlob(blobId)) || caches.usesBlob(blobId),
  );
