import { fromStored, type Stored } from "@ci/kit/mongo/document";
import type { LastResponse, Webhook } from "@ci/proto/webhooks/v1/webhooks";
import type { UpdateFilter } from "mongodb";
import type { OwnHeader } from "../domain/own-headers.js";
import { originOf } from "../domain/target.js";
import type { EncryptedSecrets, OwnHeaders } from "./encrypted-secrets.js";

export type WebhookDoc = Stored<Webhook> & {
  /** The normalized payload URL, unique within the namespace. */
  targetKey: string;
  secrets: EncryptedSecrets;
  headers?: OwnHeaders;
  /** The most attempts per second. Absent: no limit. */
  rateLimit?: number;
  /** The member who answers for it. Earlier versions stored none: then it is the author. */
  keeperId?: number;
  /** When it was last activated. It receives no earlier events. */
  activeSince: Date;
  failingSince?: Date;
  /** Counts changes of the settings, for optimistic locking. */
  revision: number;
  /** The process that sends to this webhook. No other process may send while it is alive. */
  lane?: { readonly holder: string };
  /** The progress of a requested redelivery of several deliveries. */
  again?: LogPosition;
  replay?: Replay;
};

/** A webhook without its headers, which may be long: their origin says that it has some. */
export type ShortWebhook = Omit<WebhookDoc, "headers"> & { headers?: Pick<OwnHeaders, "origin"> };

/** The fields that say who answers for a webhook, and in which namespace. */
export type KeptWebhook = Pick<WebhookDoc, "_id" | "authorId" | "keeperId" | "userId" | "namespaceId" | "departed">;

export const keeperOf = ({ keeperId, authorId }: Pick<WebhookDoc, "keeperId" | "authorId">): number =>
  keeperId ?? authorId;

export const idsOf = (docs: readonly { readonly _id: number }[]): number[] => docs.map(({ _id }) => _id);

/** Returns the headers for the present address. Earlier versions keep those for an address that they replace. */
export const ownHeadersOf = ({ headers, payloadUrl }: WebhookDoc): readonly OwnHeader[] =>
  headers && headers.origin === originOf(payloadUrl) ? headers.list : [];

/** A position in a webhook's log: later deliveries, or those of the same time with a higher id, follow it. */
export interface LogPosition {
  readonly since: Date;
  readonly id: number;
}

/** The progress of a requested replay of missed events. */
export interface Replay {
  readonly since: Date;
  /** The webhook's, by which a replay knows that the webhook was turned off and on again. */
  readonly activeSince: Date;
  /** The position in the stream that it has reached. */
  readonly after: number;
  /** The last position. Absent before the replay begins. */
  readonly end?: number;
  /** How many requests there were, and how many when the replay began. */
  readonly asked: number;
  readonly begun?: number;
}

export type WebhookChange = Pick<
  WebhookDoc,
  "payloadUrl" | "targetKey" | "ssl" | "events" | "filter" | "active" | "activeSince"
> & {
  keeperId?: number;
  secrets?: EncryptedSecrets;
  headers?: undefined;
  disabledReason?: undefined;
  departed?: undefined;
  failingSince?: undefined;
};

export interface WebhookHealth {
  readonly lastResponse: LastResponse;
  readonly failingSince?: Date;
  /** Revision of the webhook when the attempt began. */
  readonly revision: number;
}

export function toWebhook(doc: WebhookDoc): Webhook {
  const {
    targetKey,
    secrets,
    headers,
    rateLimit,
    keeperId,
    activeSince,
    failingSince,
    revision,
    lane,
    again,
    replay,
    ...stored
  } = doc;
  return fromStored<Webhook>({ ...stored, departed: (!doc.active && doc.departed) || undefined });
}

export const setAndUnset = <T extends object>(fields: T): UpdateFilter<WebhookDoc> => {
  const gone = Object.entries(fields).filter(([, value]) => value === undefined);
  return { $set: fields, ...(gone.length > 0 ? { $unset: Object.fromEntries(gone.map(([name]) => [name, ""])) } : {}) };
};
