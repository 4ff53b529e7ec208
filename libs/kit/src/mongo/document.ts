import { randomUUID } from "node:crypto";
import { Event } from "@ci/proto/events/v1/events";
import { type Trail, trail } from "../rpc/caller.js";

/** A message as stored: its id is the document's. */
export type Stored<M extends { id: unknown }> = Omit<M, "id"> & { _id: M["id"] };

export function fromStored<M extends { id: unknown }>(doc: Stored<M>): M {
  const { _id, ...rest } = doc;
  return { id: _id, ...rest } as unknown as M;
}

/** An event that waits in a document for the relay; `json` is published as it is. */
export interface OutboxEvent {
  readonly id: string;
  readonly kind: string;
  readonly at: Date;
  readonly json: string;
  readonly trail?: Trail;
}

/** Returns a new event, to be written together with the change it reports. */
export function outboxEvent(event: Omit<Event, "id">): OutboxEvent {
  const id = randomUUID();
  const json = JSON.stringify(Event.toJSON({ ...event, id }));
  return { id, kind: event.kind, at: event.at as Date, json, trail: trail() };
}

export interface Outbox {
  outbox: OutboxEvent[];
  /** When the record was deleted; the document stays until its events are published. */
  deletedAt?: Date;
}
