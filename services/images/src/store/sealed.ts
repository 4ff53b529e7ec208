import type { EncryptedField } from "@ci/kit/security/rotate";
import type { ImageDoc } from "../domain/image.js";

/** Everything that is sealed here: where images wait to be downloaded from. */
export const sealedFields: readonly EncryptedField[] = [
  {
    collection: "images",
    field: "fetch.sealedUrl",
    renewed: ({ _id, fetch }: ImageDoc, renew) => renew(fetch!.sealedUrl, { kind: "image", id: _id }),
  },
];
