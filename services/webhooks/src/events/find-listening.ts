import type { ReceivedEvent } from "@ci/kit/bus/event-headers";
import type { Context } from "../context.js";
import type { ShortWebhook } from "../store/webhook-doc.js";

/** An event with the webhooks that receive it, in the order of their ids. */
export interface Listened {
  readonly event: ReceivedEvent;
  readonly webhooks: readonly ShortWebhook[];
}

/** Returns the events that webhooks with ids after `afterId` receive. */
export async function findListening(ctx: Context, events: readonly ReceivedEvent[], afterId = 0): Promise<Listened[]> {
  const namespaceIds = [...new Set(events.flatMap(({ namespaceId }) => namespaceId ?? []))];
  if (namespaceIds.length === 0) return [];
  const readAtMs = performance.now();
  const active = await ctx.webhooks.activeInNamespaces(namespaceIds, afterId);
  ctx.seen.add(active, readAtMs);
  const byNamespace = new Map<number, ShortWebhook[]>(namespaceIds.map((id) => [id, []]));
  for (const webhook of active) byNamespace.get(webhook.namespaceId)!.push(webhook);
  const listened = events.map((event) => {
    const { namespaceId, kind, at = ctx.now() } = event;
    const inNamespace = namespaceId === undefined ? [] : byNamespace.get(namespaceId)!;
    return {
      event,
      webhooks: inNamespace.filter(({ events, activeSince }) => events.includes(kind) && activeSince <= at),
    };
  });
  return listened.filter(({ webhooks }) => webhooks.length > 0);
}
