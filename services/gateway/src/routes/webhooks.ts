import type { Delivery, Webhook } from "@ci/proto/webhooks/v1/webhooks";
import {
  deliveryJson,
  deliverySchema,
  deliveryStatsJson,
  deliveryStatsSchema,
  fullDeliveryJson,
  fullDeliverySchema,
  redeliveredSchema,
  replayedSchema,
} from "@ci/rest/delivery";
import {
  webhookHeadersJson,
  webhookHeadersSchema,
  webhookJson,
  webhookRateLimitJson,
  webhookRateLimitSchema,
  webhookSchema,
} from "@ci/rest/webhook";
import { z } from "zod";
import { namespaceFor, namespaceOf } from "../auth/targets.js";
import { pageOfRecords } from "../backend/record-page.js";
import { relationsFor } from "../backend/relations.js";
import type { Context } from "../context.js";
import { paged } from "../http/page.js";
import { type Address, action } from "../http/row.js";
import {
  flag,
  maxUrlLength,
  moment,
  number,
  scalarsByName,
  text,
  texts,
  textsByName,
  textUpTo,
} from "../http/shape.js";

const toJson = async (ctx: Context, webhook: Webhook) => webhookJson(webhook, await relationsFor(ctx, [webhook]));

/** Returns the webhook of a path. Throws `not_found`. */
async function find(ctx: Context, address: Address): Promise<Webhook> {
  const { id: namespaceId } = await namespaceOf(ctx, address);
  return (await ctx.webhooks.getWebhook({ namespaceId, id: address.params.id })).webhook!;
}

export const listWebhooks = action({
  summary: "Webhooks of a namespace",
  paged: true,
  returns: webhookSchema,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const { webhooks, page } = await ctx.webhooks.listWebhooks({ namespaceId, page: input.page });
    return pageOfRecords(ctx, webhooks, webhookJson, page);
  },
});

const fields = {
  payload_url: textUpTo(maxUrlLength).describe("Address that events are sent to"),
  secret: text.describe("Secret that requests are signed with"),
  ssl: flag.describe("Whether the address must use https; false if missing"),
  active: flag.describe("Whether events are sent; true if missing"),
  events: texts.describe("Names of the events that are sent; all if missing or empty"),
  filter: scalarsByName.describe(
    "Values by path: an event is sent only if its body has one of the values at each path",
  ),
};

const filterOf = (filter: z.output<typeof scalarsByName>) =>
  filter && { conditions: Object.entries(filter).map(([path, values]) => ({ path, values })) };

export const createWebhook = action({
  summary: "Creates a webhook",
  changes: "webhook",
  body: fields,
  required: ["payload_url"],
  refuses: ["webhooks"],
  returns: webhookSchema,
  target: namespaceFor("write"),
  async run(ctx, input) {
    const { payload_url: payloadUrl = "", secret = "", ssl = false, active, events = [] } = input.body;
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const filter = filterOf(input.body.filter);
    const request = { namespaceId, payloadUrl, secret, ssl, active, events, filter };
    return toJson(ctx, (await ctx.webhooks.createWebhook(request)).webhook!);
  },
});

export const getWebhook = action({
  summary: "A webhook, without its secret",
  returns: webhookSchema,
  run: async (ctx, input) => toJson(ctx, await find(ctx, input)),
});

export const updateWebhook = action({
  summary: "Changes a webhook",
  changes: "webhook",
  body: {
    payload_url: fields.payload_url.describe("New address; another scheme, host or port removes the headers"),
    secret: fields.secret,
    ssl: flag.describe("Whether the address must use https"),
    active: flag.describe("Whether events are sent"),
    events: texts.describe("Names of the events that are sent; all if empty"),
    filter: scalarsByName.describe("Values by path, which replace the filter; an empty object removes it"),
    remove_secret: flag.describe("Whether requests are no longer signed"),
  },
  returns: webhookSchema,
  target: find,
  async run(ctx, input) {
    const { payload_url: payloadUrl, secret, ssl, active, remove_secret: removeSecret = false } = input.body;
    const events = input.body.events && { names: input.body.events };
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const filter = filterOf(input.body.filter);
    const request = { namespaceId, id: input.params.id, payloadUrl, secret, removeSecret, ssl, active, events, filter };
    return toJson(ctx, (await ctx.webhooks.updateWebhook(request)).webhook!);
  },
});

export const deleteWebhook = action({
  summary: "Deletes a webhook and its deliveries",
  changes: "webhook",
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    await ctx.webhooks.deleteWebhook({ namespaceId, id: input.params.id });
  },
});

export const getWebhookHeaders = action({
  summary: "Headers that every request to a webhook carries, without their values",
  returns: webhookHeadersSchema,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    return webhookHeadersJson(await ctx.webhooks.getWebhookHeaders({ namespaceId, id: input.params.id }));
  },
});

export const setWebhookHeaders = action({
  summary: "Replaces the headers that every request to a webhook carries",
  changes: "webhook",
  body: { headers: textsByName.describe("Values by name; `xxxxxx` keeps the stored value") },
  required: ["headers"],
  returns: webhookHeadersSchema,
  target: find,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const { headers: given } = input.body;
    const headers = given && { headers: Object.entries(given).map(([name, value]) => ({ name, value })) };
    return webhookHeadersJson(await ctx.webhooks.setWebhookHeaders({ namespaceId, id: input.params.id, headers }));
  },
});

export const getWebhookRateLimit = action({
  summary: "How many requests per second a webhook receives at most",
  returns: webhookRateLimitSchema,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    return webhookRateLimitJson(await ctx.webhooks.getRateLimit({ namespaceId, id: input.params.id }));
  },
});

export const setWebhookRateLimit = action({
  summary: "Limits how many requests per second a webhook receives",
  changes: "webhook",
  body: { per_second: number.describe("Whole number from 1 to 1,000; 0 removes the limit") },
  required: ["per_second"],
  returns: webhookRateLimitSchema,
  target: find,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const request = { namespaceId, id: input.params.id, perSecond: input.body.per_second };
    return webhookRateLimitJson(await ctx.webhooks.setRateLimit(request));
  },
});

export const countDeliveries = action({
  summary: "Counts of the deliveries in a webhook's log",
  returns: deliveryStatsSchema,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    return deliveryStatsJson(await ctx.webhooks.countDeliveries({ namespaceId, webhookId: input.params.id }));
  },
});

const onlyFailed = z
  .enum(["failed"], { error: "must be failed" })
  .optional()
  .describe("`failed`: only deliveries that failed for good");

export const listDeliveries = action({
  summary: "Deliveries of a webhook, newest first",
  query: { status: onlyFailed },
  paged: true,
  returns: deliverySchema,
  target: find,
  async run(ctx, input) {
    const namespace = await namespaceOf(ctx, input);
    const { id: namespaceId } = namespace;
    const request = {
      namespaceId,
      webhookId: input.params.id,
      page: input.page,
      failed: input.query.status === "failed",
    };
    const { deliveries, page } = await ctx.webhooks.listDeliveries(request);
    const relations = await relationsFor(ctx, [], { namespaces: [namespace] });
    const items = deliveries.map((delivery) => deliveryJson(delivery, namespaceId, relations));
    return paged(items, page);
  },
});

/** Answers with the delivery that `call` returns for the path. */
async function deliveryOf(
  ctx: Context,
  address: Address,
  call: (ref: { namespaceId: number; webhookId: number; id: number }) => Promise<{ delivery?: Delivery }>,
) {
  const namespace = await namespaceOf(ctx, address);
  const { id: webhookId, delivery: id } = address.params;
  const { delivery } = await call({ namespaceId: namespace.id, webhookId, id });
  return fullDeliveryJson(delivery!, namespace.id, await relationsFor(ctx, [], { namespaces: [namespace] }));
}

export const getDelivery = action({
  summary: "A delivery with its request, last response and attempts",
  returns: fullDeliverySchema,
  run: (ctx, input) => deliveryOf(ctx, input, (ref) => ctx.webhooks.getDelivery(ref)),
});

export const redeliverDelivery = action({
  summary: "Sends a delivery again",
  changes: "delivery",
  returns: fullDeliverySchema,
  run: (ctx, input) => deliveryOf(ctx, input, (ref) => ctx.webhooks.redeliver(ref)),
});

export const testWebhook = action({
  summary: "Sends an example of an event, marked as a test, in one attempt",
  changes: "webhook",
  body: { event: text.describe("Name of the event; the webhook's first if missing") },
  returns: fullDeliverySchema,
  target: find,
  run: (ctx, input) =>
    deliveryOf(ctx, input, ({ namespaceId, webhookId }) =>
      ctx.webhooks.testWebhook({ namespaceId, webhookId, event: input.body.event ?? "" }),
    ),
});

export const redeliverFailedDeliveries = action({
  summary: "Sends every delivery again that failed or was cancelled since a time, except tests",
  changes: "webhook",
  body: { since: moment.describe("Only deliveries created since") },
  required: ["since"],
  returns: redeliveredSchema,
  target: find,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const request = { namespaceId, webhookId: input.params.id, since: input.body.since };
    const { count, atLeast } = await ctx.webhooks.redeliverFailed(request);
    return { count, at_least: atLeast };
  },
});

export const replayMissedEvents = action({
  summary: "Sends the events since a time that an active webhook wants and has no delivery of",
  changes: "webhook",
  body: { since: moment.describe("Only events that happened since; they are kept for about a day") },
  required: ["since"],
  refuses: ["active"],
  returns: replayedSchema,
  target: find,
  async run(ctx, input) {
    const { id: namespaceId } = await namespaceOf(ctx, input);
    const request = { namespaceId, webhookId: input.params.id, since: input.body.since };
    const { count, atLeast } = await ctx.webhooks.replayMissed(request);
    return { count, at_least: atLeast };
  },
});
