import type { OutboxEvent, Stored } from "@ci/kit/mongo/document";
import type { Image } from "@ci/proto/images/v1/images";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";

/** A download that is not over yet. */
export interface Fetch {
  /** The URL with its password, encrypted for this image. */
  readonly sealedUrl: string;
  /** Attempts that came to nothing. */
  readonly failures: number;
  /** When the next attempt is due; during one, when it counts as abandoned. */
  readonly dueAt: Date;
  /** Names the attempt that is under way: whoever no longer holds it changes nothing. */
  readonly token?: string;
  /** Content that an attempt has begun and another one may continue, and what tells a server whether it is still the same. */
  readonly partial?: { readonly blobId: string; readonly validator: string };
}

/** How much of its content a download has, in bytes, and how much that will be if the server has said so. */
export interface Progress {
  readonly received: number;
  readonly total?: number | undefined;
}

/** An image as it is kept. */
export interface ImageDoc extends Stored<Image> {
  _id: number;
  /** Where its name is unique. It changes whenever the record changes hands, so a write that names it is safe. */
  readonly scope: string;
  /** The root of its namespace, for the lists of those who collaborate there. */
  readonly rootId?: number;
  /** Where its bytes are; absent until there are any. */
  readonly blobId?: string;
  readonly fetch?: Fetch;
  /** What it is found by when its name is searched for; the store makes them. */
  readonly terms?: readonly string[];
  readonly outbox: OutboxEvent[];
  readonly deletedAt?: Date;
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

/** The scope of what is in a namespace. */
export const namespaceScope = (namespaceId: number): string => `n${namespaceId}`;

/** The scope of what a user has without namespace. */
export const userScope = (userId: number): string => `u${userId}`;

/** The scope of a deleted record: its name is in nobody's way there. */
export const goneScope = (id: number): string => `gone${id}`;

/** Whose a new image becomes that `authorId` puts into a namespace, or keeps without one. */
export const placeIn = (namespace: Namespace | undefined, authorId: number) =>
  namespace
    ? {
        authorId,
        userId: namespace.userId,
        namespaceId: namespace.id,
        rootId: namespace.rootId,
        scope: namespaceScope(namespace.id),
      }
    : { authorId, userId: authorId, scope: userScope(authorId) };

const longestName = 255;

/** What is wrong with the name of a new image. */
export function nameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  return [
    ...(/^[a-zA-Z0-9_-]+$/.test(name) ? [] : ["Name can only contain letters, numbers, dashes, and underscores"]),
    ...([...name].length > longestName ? [`Name cannot be longer than ${longestName} characters in length`] : []),
  ];
}
