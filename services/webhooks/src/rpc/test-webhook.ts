import { randomUUID } from "node:crypto";
import { validated } from "@ci/kit/rpc/validated";
import { inTurn } from "@ci/kit/turns/in-turn";
import { Delivery_Status } from "@ci/proto/webhooks/v1/webhooks";
import { exampleEvent } from "@ci/rest/event-examples";
import type { EventName } from "@ci/rest/event-names";
import { findNamespace } from "../actions/find-namespace.js";
import { findWebhook } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";
import { renderPayloads } from "../delivery/render-payloads.js";
import { unknownKindErrors } from "../domain/event-kinds.js";
import { fixedHeaders } from "../domain/sign.js";
import { type DeliveryDoc, toDelivery } from "../store/delivery-doc.js";
import type { WebhookDoc } from "../store/webhook-doc.js";

/** Stores a delivery of an example as a redelivery is: due now, once, signed with the present secret. */
async function addTest(ctx: Context, webhook: WebhookDoc, event: EventName): Promise<DeliveryDoc> {
  const { _id: webhookId, namespaceId } = webhook;
  const [deliveryId, eventId, now] = [randomUUID(), randomUUID(), ctx.now()];
  const namespace = await findNamespace(ctx, namespaceId);
  const [payload = ""] = await renderPayloads(ctx, [exampleEvent(event, { id: eventId, at: now, namespace })]);
  const unsigned = { prefix: ctx.config.headerPrefix, event, deliveryId, webhookId, secrets: [], payload, test: true };
  const test: DeliveryDoc = {
    _id: await ctx.newTestId(),
    webhookId,
    deliveryId,
    eventId,
    event,
    status: Delivery_Status.pending,
    attempts: [],
    attemptCount: 0,
    createdAt: now,
    request: { headers: fixedHeaders(unsigned), payload },
    dueAt: now,
    redelivery: true,
    asked: 0,
    test: true,
  };
  await ctx.deliveries.insertTest(test);
  return test;
}

export const testWebhook = (ctx: Context): Handlers["testWebhook"] => {
  const turns = inTurn<number>();
  return validated(async ({ namespaceId, webhookId, event: requested }, { caller }) => {
    const webhook = await findWebhook(ctx, caller, namespaceId, webhookId);
    const event = (requested || webhook.events[0]) as EventName;
    return {
      complaints: { event: unknownKindErrors([event], "Event") },
      async change() {
        const waiting = () => ctx.deliveries.repeatTest(webhookId, event, ctx.now());
        const test = await turns(webhookId, async () => (await waiting()) ?? addTest(ctx, webhook, event));
        ctx.lanes.wake(webhook, "news");
        return { delivery: toDelivery(test) };
      },
    };
  });
};
