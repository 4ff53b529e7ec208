import type { EncryptedField } from "@ci/kit/security/rotate";
import type { ImageDoc } from "../domain/image.js";

/** Every encrypted field of this service: the URLs of pending downloads. */
export const encryptedFields: readonly EncryptedField[] = [
  {
    collection: "images",
    field: "fetch.sealedUrl",
    renewed: ({ _id, fetch }: ImageDoc, renew) => renew(fetch!.sealedUrl, { kind: "image", id: _id }),
  },
];
