import type { Event } from "@ci/proto/events/v1/events";
import type { Context } from "./context.js";
import { payloadsOf } from "./payload.js";
import type { NewRecord } from "./store/stream.js";

/** An event that those hear of who watch its namespace. */
type Told = Event & { readonly namespaceId: number };

/** Each once, for the bus may hold an event twice, and without what is older than records are kept: it is no news. */
function news({ config, now }: Pick<Context, "config" | "now">, events: readonly Event[]): Told[] {
  const since = new Date(now().getTime() - config.eventLogMs);
  const met = new Set<string>();
  return events.filter((event): event is Told => {
    const { id, namespaceId, at = since } = event;
    if (namespaceId === undefined || at < since || met.has(id)) return false;
    met.add(id);
    return true;
  });
}

/** Records events, in order, for those who watch their namespaces. Repeating it adds nothing. */
export async function recordStream(ctx: Context, events: readonly Event[]): Promise<void> {
  const told = news(ctx, events).map((event) => ({ event, eventId: event.id }));
  if (told.length === 0) return;
  const open = await ctx.stream.without(told);
  const payloads = await payloadsOf(
    ctx,
    open.map(({ event }) => event),
  );
  const records = open.map(({ eventId, event: { namespaceId, kind, at } }, nth): NewRecord => {
    return { eventId, namespaceId, kind, payload: payloads[nth]!, at: at ?? ctx.now() };
  });
  await ctx.stream.add(records);
  ctx.tail.tell([...new Set(told.map(({ event }) => event.namespaceId))]);
}
