import { fromStored, type Stored } from "@ci/kit/mongo/document";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Trail } from "@ci/kit/rpc/caller";
import type { Attempt, Delivery, Delivery_Status, ReceivedResponse, SentRequest } from "@ci/proto/webhooks/v1/webhooks";
import type { WebhookDoc } from "./webhook-doc.js";

/** A request whose payload is a document of its own, because other deliveries of the event have the same. */
export interface SharedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly payloadId: string;
  /** Earlier versions stored none. */
  readonly payloadBytes?: number;
}

export type DeliveryDoc = Stored<Delivery> & {
  /** Either this or `sharedRequest`. Earlier versions know only this one, and send nothing without it. */
  request?: SentRequest;
  sharedRequest?: SharedRequest;
  /** When the next attempt may begin; `dueImmediately` for the first. Only while pending. */
  dueAt?: Date;
  /** Encrypted. Only while pending; a redelivery is signed with the webhook's present secret instead. */
  secrets?: readonly string[];
  redelivery: boolean;
  /** Counts requested redeliveries. A request during an attempt requires another attempt. */
  asked: number;
  trail?: Trail;
  /** The last delivery of a deleted namespace. The webhook is removed after it. */
  farewell?: boolean;
  /** A user requested it, with an example of an event. Its id may be above those of later events. */
  test?: true;
};

/** A delivery as it waits in memory. A long payload of its own is left out. */
export type DueDelivery = Omit<DeliveryDoc, "request"> & {
  readonly request?: Pick<SentRequest, "headers"> & Partial<SentRequest>;
  /** Of its own payload. */
  readonly payloadBytes?: number;
};

export interface AttemptRecord {
  readonly status: Delivery_Status;
  readonly retryAt?: Date;
  readonly attempt: Attempt;
  readonly headers: Readonly<Record<string, string>>;
  readonly response?: ReceivedResponse;
}

/** An attempt, and the delivery as it was before. */
export interface RecordedAttempt {
  readonly delivery: Pick<DeliveryDoc, "_id" | "attemptCount" | "asked" | "sharedRequest">;
  readonly record: AttemptRecord;
}

export interface DueDeliveries {
  readonly docs: readonly DueDelivery[];
  /** What a limit has left unread. `first`: only first attempts, with higher ids than those read. */
  readonly left: "nothing" | "first" | "any";
}

export interface Backlog {
  readonly waiting: number;
  /** How long the oldest due delivery has waited. */
  readonly lagMs: number;
}

/** The same past time for all first attempts, so that they go in order of ids whatever clocks say. */
export const dueImmediately = new Date(0);

/** The same time for replayed events, and for deliveries that are redelivered together. They go after first attempts, in order of ids. */
export const dueAfterFirst = new Date(1);

export const isAfterFirst = ({ dueAt }: Pick<DeliveryDoc, "dueAt">): boolean =>
  dueAt?.getTime() === dueAfterFirst.getTime();

export const isFirstAttempt = ({ dueAt }: Pick<DeliveryDoc, "dueAt">): boolean =>
  dueAt?.getTime() === dueImmediately.getTime();

/** Reports whether a webhook still sends a delivery: not what is from before its last activation, except on request. */
export const isWanted =
  ({ active, activeSince }: Pick<WebhookDoc, "active" | "activeSince">) =>
  ({ redelivery, farewell = false, createdAt }: DueDelivery): boolean =>
    redelivery || farewell || (active && !(createdAt! < activeSince));

/** Keeps one delivery per webhook and event. */
export const oncePerEventIndex = "webhookId_1_eventId_1";

/** The rough size of a delivery without its payload. */
const shortSizeBytes = 1_024;

/** Returns roughly how much memory a delivery takes. A long or shared payload is read only when it is sent. */
export const sizeInMemory = ({ request }: DueDelivery): number => request?.payload?.length ?? shortSizeBytes;

export const maxWaitingPayloadBytes = fixedLimit({
  max: 16 * 1024,
  unit: "bytes",
  about: "payload of a delivery that is in memory before the delivery is sent",
  effect: "a longer one is read for each attempt",
});

export function waiting(doc: DeliveryDoc): DueDelivery {
  const { request, ...rest } = doc;
  if (!request || request.payload.length <= maxWaitingPayloadBytes) return doc;
  return { ...rest, request: { headers: request.headers }, payloadBytes: Buffer.byteLength(request.payload) };
}

/** Converts a delivery. A shared payload is left out, with its request. */
export function toDelivery(doc: DeliveryDoc): Delivery {
  const { dueAt, secrets, redelivery, asked, farewell, test, trail, sharedRequest, ...stored } = doc;
  return fromStored<Delivery>(stored);
}
