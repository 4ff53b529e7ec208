import { randomUUID } from "node:crypto";
import { Event } from "@ci/proto/events/v1/events";
import { type Trail, trail } from "../rpc/caller.js";

/** A message as it is stored: its id is the document's. */
export type Stored<M extends { id: unknown }> = Omit<M, "id"> & { _id: M["id"] };

/** The message a document holds. */
export function fromStored<M extends { id: unknown }>(doc: Stored<M>): M {
  const { _id, ...rest } = doc;
  return { id: _id, ...rest } as unknown as M;
}

/** An event that waits in a document for the relay: the text that will be published, and what goes beside it. */
export interface OutboxEvent {
  readonly id: string;
  readonly kind: string;
  readonly at: Date;
  readonly json: string;
  /** The request that the change belongs to. */
  readonly trail?: Trail;
}

/** A new event, ready to be written together with the change it reports. */
export function outboxEvent(event: Omit<Event, "id">): OutboxEvent {
  const id = randomUUID();
  const json = JSON.stringify(Event.toJSON({ ...event, id }));
  return { id, kind: event.kind, at: event.at as Date, json, trail: trail() };
}

/** What a document that reports its changes holds besides its own fields. */
export interface Outbox {
  outbox: OutboxEvent[];
  /** Set when the record is gone for everybody but the relay. */
  deletedAt?: Date;
}
