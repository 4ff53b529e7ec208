import type { DeferredPlace } from "../store/deferred-events.js";

/** A user with deferred events. */
export interface Waiting {
  readonly userId: number;
  readonly namespaceIds: Set<number>;
  /** The first deferred event, if it is recorded for the webhooks up to an id. */
  reached?: { readonly id: number; readonly webhookId: number } | undefined;
  /** After a failure, by `performance.now()`. */
  notBeforeMs: number;
}

/** The users with deferred events, in the order of their turns. */
export interface WaitingUsers {
  add(place: DeferredPlace): void;
  remove(userId: number): void;
  /** Returns whose deferred events come before a new one in the namespace. */
  userIn(namespaceId: number): number | undefined;
  /** Returns the user whose turn it is, and moves them to the end of the line. */
  next(): Waiting | undefined;
  isEmpty(): boolean;
}

export function waitingUsers(places: readonly DeferredPlace[]): WaitingUsers {
  const users = new Map<number, Waiting>();
  const byNamespace = new Map<number, number>();

  function add({ userId, namespaceId }: DeferredPlace): void {
    const waiting = users.get(userId) ?? { userId, namespaceIds: new Set(), notBeforeMs: 0 };
    users.set(userId, waiting);
    waiting.namespaceIds.add(namespaceId);
    byNamespace.set(namespaceId, userId);
  }

  for (const place of places) add(place);
  return {
    add,
    remove(userId) {
      for (const id of users.get(userId)?.namespaceIds ?? []) byNamespace.delete(id);
      users.delete(userId);
    },
    userIn: (namespaceId) => byNamespace.get(namespaceId),
    next() {
      const nowMs = performance.now();
      for (const waiting of users.values()) {
        if (waiting.notBeforeMs > nowMs) continue;
        users.delete(waiting.userId);
        users.set(waiting.userId, waiting);
        return waiting;
      }
      return undefined;
    },
    isEmpty: () => users.size === 0,
  };
}
