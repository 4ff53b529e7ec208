import type { Stored } from "@ci/kit/mongo/document";
import type { StoredObject } from "@ci/proto/namespaces/v1/resources";
import { nameTooLong } from "./name.js";
import type { Scoped } from "./scope.js";

/** An object as it is kept. */
export interface ObjectDoc extends Stored<StoredObject>, Scoped {
  /** Where its bytes are. */
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

/** What is wrong with the name of a new object. */
export function objectNameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  const pattern = /^[a-zA-Z0-9._-]+$/.test(name);
  return [
    ...(pattern ? [] : ["Name can only contain letters, numbers, dots, dashes, and underscores"]),
    ...nameTooLong(name),
  ];
}

/** The complaint about content larger than the limit, which is told in MiB. */
export const fileTooLarge = (limitBytes: number): string =>
  `file too large, cannot exceed ${Number((limitBytes / 1024 ** 2).toPrecision(6))} MB`;
