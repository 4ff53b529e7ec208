import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Context } from "../context.js";
import { type DeferredEvent, toEvent } from "../store/deferred-events.js";
import { addDeliveries } from "./add-deliveries.js";
import { applyDeletionEvent, upToDeletions } from "./deletion-events.js";
import { findListening, type Listened } from "./find-listening.js";
import { maxSlice, maxSliceBytes } from "./slices.js";
import type { Waiting, WaitingUsers } from "./waiting-users.js";

const maxEvents = fixedLimit({
  max: 20,
  about: "deferred events of one user that are recorded together",
  effect: "further ones wait for the user's next turn",
});
const retryMs = 1_000;

/** What a turn records: some events, or a part of the first. */
interface Portion {
  readonly listened: readonly Listened[];
  /** The event that does not fit. */
  readonly next: Listened | undefined;
}

function firstSlice(listened: readonly Listened[]): Portion {
  let [fitting, count] = [0, 0];
  for (const { webhooks } of listened) {
    count += webhooks.length;
    if (count > maxSlice) break;
    fitting++;
  }
  const next = listened[fitting];
  if (!next || fitting > 0) return { listened: listened.slice(0, fitting), next };
  return { listened: [{ event: next.event, webhooks: next.webhooks.slice(0, maxSlice) }], next };
}

/** Returns a user's first deferred events. Without any, the user leaves, unless the reader adds some meanwhile. */
const firstEvents = (ctx: Context, users: WaitingUsers, { userId, reached }: Waiting): Promise<DeferredEvent[]> =>
  ctx.inTurn(async () => {
    const docs = await ctx.deferredEvents.first(userId, reached ? 1 : maxEvents, maxSliceBytes);
    if (docs.length === 0) users.remove(userId);
    return docs;
  });

async function takeTurn(ctx: Context, users: WaitingUsers, waiting: Waiting): Promise<void> {
  const docs = await firstEvents(ctx, users, waiting);
  if (docs.length === 0) return;
  const [events = []] = upToDeletions(docs.map(toEvent));
  const now = ctx.now();
  const afterId = waiting.reached?.id === docs[0]!._id ? waiting.reached.webhookId : 0;
  const { listened, next } = firstSlice(await findListening(ctx, events, afterId));
  await addDeliveries(ctx, listened, now);
  const recorded = next ? events.indexOf(next.event) : events.length;
  if (!next) await applyDeletionEvent(ctx, events.at(-1)!);
  await ctx.deferredEvents.remove(docs.slice(0, recorded).map(({ _id }) => _id));
  const [first] = listened;
  const isPart = first !== undefined && first.event === next?.event;
  waiting.reached = isPart ? { id: docs[recorded]!._id, webhookId: first.webhooks.at(-1)!._id } : undefined;
}

/** Records some deferred events of the next user, and wakes its loop for others. Returns 0 if there are none. */
export async function recordDeferred(ctx: Context): Promise<0 | undefined> {
  if (!ctx.deferral.isHere()) return 0;
  const users = await ctx.deferral.users();
  const waiting = users.next();
  if (!waiting) return users.isEmpty() ? 0 : undefined;
  try {
    await takeTurn(ctx, users, waiting);
  } catch (error) {
    ctx.log.warn({ err: error, user: waiting.userId }, "deferred events not recorded; will retry");
    waiting.notBeforeMs = performance.now() + retryMs;
  }
  ctx.wakeDeferred();
  return undefined;
}
