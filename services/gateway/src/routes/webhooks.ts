import type { Webhook } from "@ci/proto/webhooks/v1/webhooks";
import { deliveryJson, fullDeliveryJson } from "@ci/rest/delivery";
import { webhookJson } from "@ci/rest/webhook";
import type { Context } from "../context.js";
import { known } from "../backend/relations.js";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";
import { delivery, fullDelivery, redelivered, webhook } from "../schemas.js";
import { flag, moment, text, texts } from "../http/shape.js";
import { namespaceFor, namespaceOf } from "../auth/targets.js";

const shown = async (ctx: Context, one: Webhook) => webhookJson(one, await known(ctx, [one]));

export const listWebhooks = action({
  summary: "Webhooks of a namespace",
  paged: true,
  answer: webhook,
  async run(ctx, ask) {
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    const found = await ctx.webhooks.listWebhooks({ namespaceId, page: ask.page });
    const all = await known(ctx, found.webhooks);
    const items = found.webhooks.map((one) => webhookJson(one, all));
    return paged(items, found.page);
  },
});

const fields = { payload_url: text, secret: text, ssl: flag, active: flag, events: texts };

export const createWebhook = action({
  summary: "Creates a webhook",
  body: fields,
  answer: webhook,
  target: namespaceFor("write"),
  async run(ctx, ask) {
    const { payload_url: payloadUrl = "", secret = "", ssl = false, active, events = [] } = ask.body;
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    const made = await ctx.webhooks.createWebhook({ namespaceId, payloadUrl, secret, ssl, active, events });
    return shown(ctx, made.webhook!);
  },
});

export const getWebhook = action({
  summary: "A webhook, without its secret",
  answer: webhook,
  async run(ctx, ask) {
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    return shown(ctx, (await ctx.webhooks.getWebhook({ namespaceId, id: ask.params.id })).webhook!);
  },
});

export const updateWebhook = action({
  summary: "Changes a webhook",
  body: { ...fields, remove_secret: flag },
  answer: webhook,
  async target(ctx, asked) {
    const { id: namespaceId } = await namespaceOf(ctx, asked);
    return ctx.webhooks.getWebhook({ namespaceId, id: asked.params.id });
  },
  async run(ctx, ask) {
    const { payload_url: payloadUrl, secret, ssl, active, remove_secret: removeSecret = false } = ask.body;
    const events = ask.body.events && { names: ask.body.events };
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    const wish = { namespaceId, id: ask.params.id, payloadUrl, secret, removeSecret, ssl, active, events };
    return shown(ctx, (await ctx.webhooks.updateWebhook(wish)).webhook!);
  },
});

export const deleteWebhook = action({
  summary: "Deletes a webhook and the log of its deliveries",
  async run(ctx, ask) {
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    await ctx.webhooks.deleteWebhook({ namespaceId, id: ask.params.id });
  },
});

export const listDeliveries = action({
  summary: "Deliveries of a webhook, newest first",
  paged: true,
  answer: delivery,
  async run(ctx, ask) {
    const namespace = await namespaceOf(ctx, ask);
    const { id: namespaceId } = namespace;
    const found = await ctx.webhooks.listDeliveries({ namespaceId, webhookId: ask.params.id, page: ask.page });
    const all = await known(ctx, [], { namespaces: [namespace] });
    const items = found.deliveries.map((one) => deliveryJson(one, namespaceId, all));
    return paged(items, found.page);
  },
});

export const getDelivery = action({
  summary: "A delivery, with what was sent and what came back",
  answer: fullDelivery,
  async run(ctx, ask) {
    const namespace = await namespaceOf(ctx, ask);
    const which = { namespaceId: namespace.id, webhookId: ask.params.id, id: ask.params.delivery };
    const { delivery } = await ctx.webhooks.getDelivery(which);
    return fullDeliveryJson(delivery!, namespace.id, await known(ctx, [], { namespaces: [namespace] }));
  },
});

export const redeliver = action({
  summary: "Sends a delivery once more",
  answer: fullDelivery,
  async run(ctx, ask) {
    const namespace = await namespaceOf(ctx, ask);
    const which = { namespaceId: namespace.id, webhookId: ask.params.id, id: ask.params.delivery };
    const { delivery } = await ctx.webhooks.redeliver(which);
    return fullDeliveryJson(delivery!, namespace.id, await known(ctx, [], { namespaces: [namespace] }));
  },
});

export const redeliverFailed = action({
  summary: "Sends every failed delivery once more that was made since a time",
  body: { since: moment },
  answer: redelivered,
  async target(ctx, asked) {
    const { id: namespaceId } = await namespaceOf(ctx, asked);
    return ctx.webhooks.getWebhook({ namespaceId, id: asked.params.id });
  },
  async run(ctx, ask) {
    const { id: namespaceId } = await namespaceOf(ctx, ask);
    const { count } = await ctx.webhooks.redeliverFailed({
      namespaceId,
      webhookId: ask.params.id,
      since: ask.body.since,
    });
    return { count };
  },
});
