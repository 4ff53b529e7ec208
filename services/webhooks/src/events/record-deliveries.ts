import type { ReceivedEvent } from "@ci/kit/bus/event-headers";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Context } from "../context.js";
import { addDeliveries } from "./add-deliveries.js";
import type { OfUser } from "./deferral.js";
import { applyDeletionEvent, upToDeletions } from "./deletion-events.js";
import { findListening, type Listened } from "./find-listening.js";

export const maxDeliveriesOfUser = fixedLimit({
  max: 200,
  about: "deliveries of one user that a batch of events may make",
  effect: "the user's further events are deferred: users take turns of 200 deliveries",
});

/** How many deliveries each user has in a batch. */
type Counts = Map<number, number>;

/** Divides events into those recorded at once, and those that follow deferred ones or exceed their user's limit. */
async function divide(ctx: Context, events: readonly ReceivedEvent[], counts: Counts) {
  const users = await ctx.deferral.users();
  const userOf = ({ namespaceId }: ReceivedEvent) =>
    namespaceId === undefined ? undefined : users.userIn(namespaceId);
  // During the query a user may leave. What was not looked up must be deferred all the same.
  const following = new Map(events.map((event) => [event, userOf(event)]));
  const found = await findListening(
    ctx,
    events.filter((event) => following.get(event) === undefined),
  );
  const webhooksOf = new Map(found.map(({ event, webhooks }) => [event, webhooks]));
  const listened: Listened[] = [];
  const deferred: OfUser[] = [];
  for (const event of events) {
    const webhooks = webhooksOf.get(event) ?? [];
    const userId = following.get(event) ?? userOf(event) ?? exceeding(webhooks, counts);
    if (userId !== undefined) {
      users.add({ userId, namespaceId: event.namespaceId! });
      deferred.push({ event, userId });
    } else if (webhooks.length > 0) listened.push({ event, webhooks });
  }
  return { listened, deferred };
}

/** Counts an event's deliveries, or returns their user if these are too many. */
function exceeding(webhooks: Listened["webhooks"], counts: Counts): number | undefined {
  if (webhooks.length === 0) return undefined;
  const { userId } = webhooks[0]!;
  const count = (counts.get(userId) ?? 0) + webhooks.length;
  if (count > maxDeliveriesOfUser) return userId;
  counts.set(userId, count);
  return undefined;
}

/** Turns events, in order, into one pending delivery for each listening webhook. Repeating it adds nothing. */
export async function recordDeliveries(ctx: Context, events: readonly ReceivedEvent[]): Promise<void> {
  const counts: Counts = new Map();
  for (const batch of upToDeletions(events)) {
    const now = ctx.now();
    const { listened, deferred } = await divide(ctx, batch, counts);
    await addDeliveries(ctx, listened, now);
    // In this order: earlier deliveries of a namespace precede those of its deferred events.
    await ctx.deferral.defer(deferred);
    const last = batch.at(-1)!;
    if (deferred.at(-1)?.event !== last) await applyDeletionEvent(ctx, last);
  }
}
