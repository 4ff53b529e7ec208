import type { ReceivedEvent } from "@ci/kit/bus/event-headers";
import type { Lease } from "@ci/kit/mongo/lease";
import { type DeferredEvent, type DeferredEvents, deferredEvent } from "../store/deferred-events.js";
import { onceInTerm } from "./once-in-term.js";
import type { OrderedIds } from "./ordered-ids.js";
import { slices } from "./slices.js";
import { type WaitingUsers, waitingUsers } from "./waiting-users.js";

export interface OfUser {
  readonly event: ReceivedEvent;
  readonly userId: number;
}

/** Puts events off whose deliveries would hold up those of other users. Only the process that records events does. */
export interface Deferral {
  isHere(): boolean;
  /** Reads them once in a term, so that an ordinary event costs nothing. */
  users(): Promise<WaitingUsers>;
  /** Stores events, in order. Repeating it adds nothing. */
  defer(events: readonly OfUser[]): Promise<void>;
}

interface Parts {
  readonly events: Pick<DeferredEvents, "places" | "add">;
  readonly ids: OrderedIds;
  inTurn<T>(task: () => Promise<T>): Promise<T>;
  wake(): void;
}

function* docsOf(deferred: readonly OfUser[], firstId: number): Generator<DeferredEvent> {
  for (const [nth, { event, userId }] of deferred.entries()) yield deferredEvent(firstId + nth, userId, event);
}

export function deferral({ term }: Pick<Lease, "term">, { events, ids, inTurn, wake }: Parts): Deferral {
  const { get: users } = onceInTerm({ term }, async () => waitingUsers(await events.places()));

  async function store(deferred: readonly OfUser[]): Promise<void> {
    const known = await users();
    for (const { event, userId } of deferred) known.add({ userId, namespaceId: event.namespaceId! });
    const firstId = await ids.next(deferred.length);
    for (const slice of slices(docsOf(deferred, firstId), ({ json }) => json.length)) {
      ids.check(firstId);
      await events.add(slice);
    }
  }

  return {
    isHere: () => term() !== undefined,
    users,
    async defer(deferred) {
      if (deferred.length === 0) return;
      await inTurn(() => store(deferred));
      wake();
    },
  };
}
