import type { Event } from "@ci/proto/events/v1/events";
import type { Context } from "../context.js";
import type { NewRecord } from "../store/stream.js";

type NamespaceEvent = Event & { readonly namespaceId: number };

/** Drops duplicates, since the bus may hold an event twice, and events older than the log, which may have been pruned. */
function recordable({ config, now }: Pick<Context, "config" | "now">, events: readonly Event[]): NamespaceEvent[] {
  const since = new Date(now().getTime() - config.eventLogMs);
  const seen = new Set<string>();
  return events.filter((event): event is NamespaceEvent => {
    const { id, namespaceId, at = since } = event;
    if (namespaceId === undefined || at < since || seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}

/** Appends events, in order, to the stream that watchers of their namespaces read. Repeating it adds nothing. */
export async function recordStream(ctx: Context, events: readonly Event[]): Promise<void> {
  const wanted = recordable(ctx, events).map((event) => ({ event, eventId: event.id }));
  if (wanted.length === 0) return;
  const missing = await ctx.stream.withoutRecord(wanted);
  const payloads = await ctx.renderPayloads(missing.map(({ event }) => event));
  const records = missing.map(({ eventId, event: { namespaceId, kind, at } }, index): NewRecord => {
    return { eventId, namespaceId, kind, payload: payloads[index]!, at: at ?? ctx.now() };
  });
  await ctx.stream.append(records);
  ctx.streamWakeups.wake([...new Set(wanted.map(({ event }) => event.namespaceId))]);
}
