import type { ReceivedEvent } from "@ci/kit/bus/event-headers";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Trail } from "@ci/kit/rpc/caller";
import { Event } from "@ci/proto/events/v1/events";
import type { Collection } from "mongodb";

/** An event whose deliveries are not recorded yet, because its user has too many for one batch of events. */
export interface DeferredEvent {
  /** Grows in the order of events. */
  readonly _id: number;
  readonly eventId: string;
  /** The user of the namespace's webhooks. */
  readonly userId: number;
  readonly namespaceId: number;
  readonly json: string;
  readonly trail?: Trail;
}

/** A namespace with deferred events. */
export type DeferredPlace = Pick<DeferredEvent, "userId" | "namespaceId">;

const maxCounted = fixedLimit({
  max: 100_000,
  about: "deferred events that the metrics count",
  effect: "more are shown as this number",
});

export const deferredEvent = (_id: number, userId: number, event: ReceivedEvent): DeferredEvent => ({
  _id,
  eventId: event.id,
  userId,
  namespaceId: event.namespaceId!,
  json: JSON.stringify(Event.toJSON(event)),
  trail: event.trail,
});

export const toEvent = ({ json, trail }: DeferredEvent): ReceivedEvent => ({
  ...Event.fromJSON(JSON.parse(json)),
  trail,
});

export type DeferredEvents = ReturnType<typeof deferredEventStore>;

export const deferredEventStore = (deferred: Collection<DeferredEvent>) => ({
  /** Stores events in order, except those that are stored already. If it fails, it has stored nothing after the failure. */
  async add(events: readonly DeferredEvent[]): Promise<void> {
    const upserts = events.map(({ eventId, ...fields }) => ({
      updateOne: { filter: { eventId }, update: { $setOnInsert: fields }, upsert: true },
    }));
    await deferred.bulkWrite(upserts, { ordered: true });
  },

  places: async (): Promise<DeferredPlace[]> => {
    const found = await deferred
      .aggregate<{ _id: number; userId: number }>([
        { $match: { namespaceId: { $gt: 0 } } },
        { $sort: { namespaceId: 1, userId: 1 } },
        { $group: { _id: "$namespaceId", userId: { $first: "$userId" } } },
      ])
      .toArray();
    return found.map(({ _id: namespaceId, userId }) => ({ namespaceId, userId }));
  },

  /** Returns a user's first events, within the limits; at least one if there are any. */
  async first(userId: number, maxEvents: number, maxBytes: number): Promise<DeferredEvent[]> {
    const events: DeferredEvent[] = [];
    let sizeBytes = 0;
    for await (const event of deferred.find({ userId }, { batchSize: 8 }).sort({ _id: 1 }).limit(maxEvents)) {
      events.push(event);
      sizeBytes += event.json.length;
      if (sizeBytes >= maxBytes) break;
    }
    return events;
  },

  async remove(ids: readonly number[]): Promise<void> {
    if (ids.length > 0) await deferred.deleteMany({ _id: { $in: [...ids] } });
  },

  /** Returns those of the namespaces that have deferred events. */
  namespacesAmong: (namespaceIds: readonly number[]): Promise<number[]> =>
    deferred.distinct("namespaceId", { namespaceId: { $in: [...namespaceIds] } }),

  count: (): Promise<number> => deferred.countDocuments({ _id: { $gt: 0 } }, { limit: maxCounted }),
});
