import { traced } from "@ci/kit/process/trace";
import { withTrail } from "@ci/kit/rpc/caller";
import type { Context } from "./context.js";
import { type Outcome, outcomeOf } from "./domain/outcome.js";
import { attemptHeaders } from "./domain/sign.js";
import type { DeliveryDoc, Recorded } from "./store/deliveries.js";
import { openTexts } from "./store/sealed.js";
import type { Told, WebhookDoc } from "./store/webhooks.js";

/** One attempt: what to write down of it, and what follows. */
export interface Tried {
  readonly recorded: Recorded;
  readonly told: Told;
  readonly outcome: Outcome;
}

/** Signed with the secrets of the emission; by hand, with the webhook's present one. */
function signedHeaders({ config }: Context, webhook: WebhookDoc, delivery: DeliveryDoc, at: Date) {
  const { event, deliveryId, request, redelivery, secrets = [] } = delivery;
  const { current } = webhook.secrets;
  const present = current === undefined ? [] : [current];
  const sent = { prefix: config.headerPrefix, event, deliveryId, webhookId: webhook._id, payload: request.payload };
  return attemptHeaders(
    { ...sent, secrets: openTexts(config.keyring, webhook._id, redelivery ? present : secrets) },
    at,
  );
}

/** The exchange; an encryption key that is missing must not stop what waits behind, and nothing goes out unsigned. */
async function exchange(ctx: Context, webhook: WebhookDoc, delivery: DeliveryDoc, at: Date, signal: AbortSignal) {
  const { payload, headers: unsigned } = delivery.request;
  let headers: Readonly<Record<string, string>>;
  try {
    headers = signedHeaders(ctx, webhook, delivery, at);
  } catch (error) {
    ctx.log.error({ err: error, webhook: webhook._id }, "secret cannot be read");
    return { headers: unsigned, came: { error: "secret cannot be read", durationNs: 0 } };
  }
  return { headers, came: await ctx.post(webhook.payloadUrl, { headers, payload }, signal) };
}

/** The exchange as a part of the request that the event is a consequence of. The receiver is not told of that. */
function tracedExchange(ctx: Context, webhook: WebhookDoc, delivery: DeliveryDoc, at: Date, signal: AbortSignal) {
  const { _id, trail, event, attemptCount } = delivery;
  const attributes = {
    "ci.webhook": webhook._id,
    "ci.delivery": _id,
    "ci.event": event,
    "ci.attempt": attemptCount + 1,
  };
  return withTrail(trail, () =>
    traced("attempt", { kind: "client", from: trail?.traceparent, attributes }, async (one) => {
      const exchanged = await exchange(ctx, webhook, delivery, at, signal);
      const { response, error } = exchanged.came;
      if (response) one.note({ "http.response.status_code": response.code });
      if (error) one.fail(error);
      return exchanged;
    }),
  );
}

/** Sends a delivery to where its webhook points now. Throws only when `signal` fires. */
export async function attempt(
  ctx: Context,
  webhook: WebhookDoc,
  delivery: DeliveryDoc,
  signal: AbortSignal,
): Promise<Tried> {
  const { redelivery, farewell = false, attempts, attemptCount } = delivery;
  const startedAt = ctx.now();
  const { headers, came } = await tracedExchange(ctx, webhook, delivery, startedAt, signal);
  const { response, error, durationNs } = came;
  const tried = {
    code: response?.code,
    retryAfter: response?.headers["retry-after"],
    at: ctx.now(),
    attempts: attempts.filter((before) => !before.redelivery).length + 1,
    once: redelivery || farewell,
    failingSince: webhook.failingSince,
  };
  const outcome = outcomeOf(tried, ctx.config, Math.random());
  const made = { code: tried.code, durationNs, error, createdAt: startedAt };
  return {
    recorded: {
      status: outcome.status,
      retryAt: outcome.retryAt,
      attempt: { number: attemptCount + 1, redelivery, ...made },
      headers,
      response,
    },
    told: { lastResponse: made, failingSince: outcome.failingSince },
    outcome,
  };
}
