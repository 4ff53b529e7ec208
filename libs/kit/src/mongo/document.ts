import { randomUUID } from "node:crypto";
import { Event } from "@ci/proto/events/v1/events";
import { fixedLimit } from "../process/fixed-limit.js";
import { type Trail, trail } from "../rpc/caller.js";
import { Fault } from "../rpc/fault.js";

/** A message as stored: its id is the document's. */
export type Stored<M extends { id: unknown }> = Omit<M, "id"> & { _id: M["id"] };

export function fromStored<M extends { id: unknown }>(doc: Stored<M>): M {
  const { _id, ...rest } = doc;
  return { id: _id, ...rest } as unknown as M;
}

/** A text of the document that an event contains, and where: `json` has an empty string there. */
interface SharedText {
  readonly field: string;
  readonly at: number;
  readonly length: number;
}

/** An event that waits in a document for the relay; `json` is published as it is, with the shared text in it. */
export interface OutboxEvent {
  readonly id: string;
  readonly kind: string;
  readonly at: Date;
  readonly json: string;
  readonly shared?: SharedText;
  readonly trail?: Trail;
}

/** Returns a new event, to be written together with the change it reports. */
export function outboxEvent(event: Omit<Event, "id">): OutboxEvent {
  const id = randomUUID();
  const json = JSON.stringify(Event.toJSON({ ...event, id }));
  return { id, kind: event.kind, at: event.at as Date, json, trail: trail() };
}

/** Shorter texts are copied into events. */
const minSharedLength = 16 * 1024;

const placeholder = `{${randomUUID()}}`;

/**
 * Makes an event with a text that its document holds in `field` and never changes, except that it may empty it. A long text
 * is not copied into the outbox: many events with their own copies would fill the document.
 */
export function sharingText(field: string, text: string, make: (text: string) => OutboxEvent): OutboxEvent {
  if (text.length < minSharedLength) return make(text);
  const event = make(placeholder);
  const at = event.json.indexOf(placeholder);
  const json = event.json.slice(0, at) + event.json.slice(at + placeholder.length);
  return { ...event, json, shared: { field, at, length: text.length } };
}

/** Returns the JSON to publish. */
export function withSharedText({ json, shared }: OutboxEvent, text: string): string {
  if (!shared) return json;
  return json.slice(0, shared.at) + JSON.stringify(text).slice(1, -1) + json.slice(shared.at);
}

export interface Outbox {
  outbox: OutboxEvent[];
  /** When the record was deleted; the document stays until its events are published. */
  deletedAt?: Date;
}

/** A document holds 16 MiB. What ends its life, and its own contents, always have room beside this. */
const maxOutboxBytes = fixedLimit({
  max: 4 * 1024 ** 2,
  unit: "bytes",
  about: "events of one record that wait for NATS; each counts as its text plus 400 bytes",
  refusal: "Service unavailable",
  effect: "503 for changes that may be repeated; what ends a record is accepted",
});

const full = () => new Error("too many events of one document wait to be published");

/** Throws `unavailable` if so much waits to be published that users may not add to it. */
export function requireOutboxRoom(
  { outbox }: { readonly outbox: readonly OutboxEvent[] },
  maxBytes = maxOutboxBytes,
): void {
  const bytes = outbox.reduce((sum, { json }) => sum + Buffer.byteLength(json) + 400, 0);
  if (bytes > maxBytes) throw new Fault("unavailable", "Service unavailable", undefined, { cause: full() });
}
