import type { Scoped } from "@ci/access/record-scope";
import type { Stored } from "@ci/kit/mongo/document";
import type { StoredObject } from "@ci/proto/namespaces/v1/resources";
import { nameTooLong } from "./name.js";

export interface ObjectDoc extends Stored<StoredObject>, Scoped {
  readonly blobId: string;
}

export const toObject = ({
  _id,
  scope,
  rootId,
  terms,
  outbox,
  deletedAt,
  blobId,
  ...object
}: ObjectDoc): StoredObject => ({
  id: _id,
  ...object,
});

export function objectNameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  const pattern = /^[a-zA-Z0-9._-]+$/.test(name);
  return [
    ...(pattern ? [] : ["Name can only contain letters, numbers, dots, dashes, and underscores"]),
    ...nameTooLong(name),
  ];
}

/** Returns the complaint about content above the limit. The contract says MB for MiB. */
export const fileTooLarge = (limitBytes: number): string =>
  `file too large, cannot exceed ${Number((limitBytes / 1024 ** 2).toPrecision(6))} MB`;
