import type { ImageDoc } from "../domain/image.js";

/** Matches an image whose owner and content have not changed since it was read. */
export const unchanged = ({ _id, scope, blobId }: ImageDoc) => ({ _id, scope, blobId: blobId ?? { $exists: false } });
