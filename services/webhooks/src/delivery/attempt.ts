import { traced } from "@ci/kit/process/trace";
import { withTrail } from "@ci/kit/rpc/caller";
import type { Context } from "../context.js";
import { decideOutcome, type Outcome } from "../domain/outcome.js";
import { hiding, isReserved } from "../domain/own-headers.js";
import { attemptHeaders } from "../domain/sign.js";
import type { AttemptRecord, DueDelivery } from "../store/delivery-doc.js";
import { ownHeadersOf, type WebhookDoc, type WebhookHealth } from "../store/webhook-doc.js";
import type { PostResult } from "./post.js";
import type { Payload } from "./shared-payloads.js";

export interface Receiver {
  readonly webhook: WebhookDoc;
  /** Decrypts the webhook's secrets. */
  decrypt(encrypted: readonly string[]): readonly string[];
  decryptHeaders(encrypted: readonly string[]): readonly string[];
}

type Headers = Readonly<Record<string, string>>;

interface Outgoing {
  readonly delivery: DueDelivery;
  readonly payload: Payload;
}

export interface AttemptResult {
  readonly record: AttemptRecord;
  readonly health: WebhookHealth;
  readonly outcome: Outcome;
}

/** Signs with the secrets at the time of the event; a redelivery with the webhook's present secret. */
function signedHeaders(
  { config }: Context,
  { webhook, decrypt }: Receiver,
  delivery: DueDelivery,
  payload: string | Buffer,
  at: Date,
) {
  const { event, deliveryId, redelivery, test, secrets = [] } = delivery;
  const { current } = webhook.secrets;
  const present = current === undefined ? [] : [current];
  const input = { prefix: config.headerPrefix, event, deliveryId, webhookId: webhook._id, payload, test };
  return attemptHeaders({ ...input, secrets: decrypt(redelivery ? present : secrets) }, at);
}

/** Returns the headers of the webhook's own, except names that this version sets itself. */
function ownHeaders({ config }: Context, { webhook, decryptHeaders }: Receiver): Headers | undefined {
  if (!webhook.headers) return undefined;
  const own = ownHeadersOf(webhook).filter(({ name }) => !isReserved(name, config.headerPrefix));
  const values = decryptHeaders(own.map(({ value }) => value));
  return Object.fromEntries(own.map(({ name }, nth) => [name, values[nth]!]));
}

/** Hides the headers of the webhook's own in a response that repeats them. */
function withoutOwn({ response, ...result }: PostResult, own: Headers): PostResult {
  if (!response) return result;
  const hide = hiding(Object.values(own));
  const headers = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, hide(value)]));
  return { ...result, response: { ...response, headers, body: hide(response.body, response.truncated) } };
}

/**
 * Sends the request. A missing encryption key or payload fails this delivery only: nothing goes out unsigned, or without
 * the webhook's own headers. The log has no such headers.
 */
async function send(ctx: Context, receiver: Receiver, { delivery, payload }: Outgoing, at: Date, signal: AbortSignal) {
  const { webhook } = receiver;
  const { headers: unsigned } = (delivery.request ?? delivery.sharedRequest)!;
  const unsent = (error: string, err?: unknown): { headers: typeof unsigned; result: PostResult } => {
    ctx.log.error({ err, webhook: webhook._id, delivery: delivery._id }, error);
    return { headers: unsigned, result: { error, durationNs: 0 } };
  };
  if (payload === undefined) return unsent("payload is missing");
  let headers: Headers;
  let own: Headers | undefined;
  let read = "secret";
  try {
    headers = signedHeaders(ctx, receiver, delivery, payload, at);
    read = "header";
    own = ownHeaders(ctx, receiver);
  } catch (error) {
    return unsent(`${read} cannot be read`, error);
  }
  const all = own ? { ...own, ...headers } : headers;
  const result = await ctx.post(webhook.payloadUrl, { headers: all, payload }, signal);
  return { headers, result: own ? withoutOwn(result, own) : result };
}

/** Traces the request as a part of the one that caused the event. The receiver gets no trace headers. */
function tracedSend(ctx: Context, receiver: Receiver, outgoing: Outgoing, at: Date, signal: AbortSignal) {
  const { _id, trail, event, attemptCount } = outgoing.delivery;
  const attributes = {
    "ci.webhook": receiver.webhook._id,
    "ci.delivery": _id,
    "ci.event": event,
    "ci.attempt": attemptCount + 1,
  };
  return withTrail(trail, () =>
    traced("attempt", { kind: "client", from: trail?.traceparent, attributes }, async (span) => {
      const sent = await send(ctx, receiver, outgoing, at, signal);
      const { response, error } = sent.result;
      if (response) span.note({ "http.response.status_code": response.code });
      if (error) span.fail(error);
      return sent;
    }),
  );
}

/** Sends a delivery to its webhook's present address. Throws only when `signal` fires. */
export async function makeAttempt(
  ctx: Context,
  receiver: Receiver,
  outgoing: Outgoing,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const { redelivery, farewell = false, test = false, attempts, attemptCount } = outgoing.delivery;
  const startedAt = ctx.now();
  const { headers, result } = await tracedSend(ctx, receiver, outgoing, startedAt, signal);
  const { response, error, durationNs } = result;
  const finished = {
    code: response?.code,
    retryAfter: response?.headers["retry-after"],
    at: ctx.now(),
    attempts: attempts.filter((earlier) => !earlier.redelivery).length + 1,
    once: redelivery || farewell,
    test,
    failingSince: receiver.webhook.failingSince,
  };
  const outcome = decideOutcome(finished, ctx.config, Math.random());
  const lastResponse = { code: finished.code, durationNs, error, createdAt: startedAt };
  return {
    record: {
      status: outcome.status,
      retryAt: outcome.retryAt,
      attempt: { number: attemptCount + 1, redelivery, ...lastResponse },
      headers,
      response,
    },
    health: { lastResponse, failingSince: outcome.failingSince, revision: receiver.webhook.revision },
    outcome,
  };
}
