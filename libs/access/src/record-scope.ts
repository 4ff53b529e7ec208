import type { OutboxEvent } from "@ci/kit/mongo/document";

/** What a record below a user or a namespace stores beside its message. None of it leaves the service. */
export interface Scoped {
  _id: number;
  readonly userId: number;
  readonly namespaceId?: number | undefined;
  /** Names are unique within it. It changes with the record's owner, so a write filtered by it is safe. */
  readonly scope: string;
  /** The root of its namespace, for the lists of the root's collaborators. */
  readonly rootId?: number;
  /** Search terms of its name; the store sets them. */
  readonly terms?: readonly string[];
  readonly outbox: OutboxEvent[];
  readonly deletedAt?: Date;
}

export const namespaceScope = (namespaceId: number): string => `n${namespaceId}`;

/** Returns the scope of a user's records without a namespace. */
export const userScope = (userId: number): string => `u${userId}`;

const deleted = "gone";

/** Returns the scope of a deleted record, which frees its name. */
export const deletedScope = (id: number): string => `${deleted}${id}`;

/** Matches every scope but those of deleted records, which sort first. Unlike `$exists`, an index alone answers it. */
export const liveScopes = { $gt: `${deleted}:` } as const;

/** The owner, namespace and scope of a new record that `authorId` creates. */
export const placement = (
  namespace: { readonly id: number; readonly userId: number; readonly rootId: number } | undefined,
  authorId: number,
) =>
  namespace
    ? {
        authorId,
        userId: namespace.userId,
        namespaceId: namespace.id,
        rootId: namespace.rootId,
        scope: namespaceScope(namespace.id),
      }
    : { authorId, userId: authorId, scope: userScope(authorId) };
