import type { Scoped } from "@ci/access/record-scope";
import type { Stored } from "@ci/kit/mongo/document";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Image } from "@ci/proto/images/v1/images";

export interface Fetch {
  /** The URL with its password, encrypted for this image. */
  readonly sealedUrl: string;
  readonly failures: number;
  /** When the next attempt is due. During an attempt: when its lease ends. */
  readonly dueAt: Date;
  /** Identifies the current attempt. An attempt that lost its lease changes nothing. */
  readonly token?: string;
  /** How many attempts ended without a result, because their process crashed. */
  readonly lost?: number;
  /** Content that the next attempt may resume, and the validator that shows it is still the same. */
  readonly partial?: { readonly blobId: string; readonly validator: string };
}

/** Bytes received, and bytes in total if the server has announced them. */
export interface Progress {
  readonly received: number;
  readonly total?: number | undefined;
}

export interface ImageDoc extends Stored<Image>, Scoped {
  readonly blobId?: string;
  readonly fetch?: Fetch;
}

export const toImage = ({
  _id,
  scope,
  rootId,
  blobId,
  fetch,
  terms,
  outbox,
  deletedAt,
  ...image
}: ImageDoc): Image => ({
  id: _id,
  ...image,
});

const maxNameLength = fixedLimit({
  max: 255,
  about: "characters of the name of an image",
  refusal: "Name cannot be longer than N characters in length",
});

export function nameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  return [
    ...(/^[a-zA-Z0-9_-]+$/.test(name) ? [] : ["Name can only contain letters, numbers, dashes, and underscores"]),
    ...([...name].length > maxNameLength ? [`Name cannot be longer than ${maxNameLength} characters in length`] : []),
  ];
}
