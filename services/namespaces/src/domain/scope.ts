import type { OutboxEvent } from "@ci/kit/mongo/document";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";

/** What every object, variable and key holds besides its message; none of it leaves the service. */
export interface Scoped {
  _id: number;
  readonly userId: number;
  readonly namespaceId?: number | undefined;
  /** Where its name is unique. It changes whenever the record changes hands, so a write that names it is safe. */
  readonly scope: string;
  /** The root of its namespace, for the lists of those who collaborate there. */
  readonly rootId?: number;
  /** What the record is found by when its name is searched for; the store makes them. */
  readonly terms?: readonly string[];
  readonly outbox: OutboxEvent[];
  readonly deletedAt?: Date;
}

/** The scope of what is in a namespace. */
export const namespaceScope = (namespaceId: number): string => `n${namespaceId}`;

/** The scope of what a user has without namespace. */
export const userScope = (userId: number): string => `u${userId}`;

/** The scope of a deleted record: its name is in nobody's way there. */
export const goneScope = (id: number): string => `gone${id}`;

/** Whose a new record becomes that `authorId` puts into a namespace, or keeps without one. */
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
