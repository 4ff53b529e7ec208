import type { Context } from "../context.js";
import type { StreamHead } from "../store/stream-heads.js";
import type { WebhookDoc } from "../store/webhook-doc.js";

/** Returns the events since a time that a webhook receives and has no delivery of. Events older than the log of deliveries are left out. */
export async function findMissed(
  { deliveries, config, now }: Pick<Context, "deliveries" | "config" | "now">,
  { _id, events }: Pick<WebhookDoc, "_id" | "events">,
  heads: readonly StreamHead[],
  since: Date,
): Promise<StreamHead[]> {
  const fromMs = Math.max(since.getTime(), now().getTime() - config.logMs);
  const wanted = heads.filter(({ kind, at }) => events.includes(kind) && at.getTime() >= fromMs);
  if (wanted.length === 0) return [];
  const recorded = await deliveries.eventsAmong(
    _id,
    wanted.map(({ eventId }) => eventId),
  );
  return wanted.filter(({ eventId }) => !recorded.has(eventId));
}
