import { goneElsewhere } from "@ci/kit/rpc/served-call";
import { eventMessages } from "../actions/event-messages.js";
import { requireMember } from "../actions/find-webhook.js";
import type { Context, Handlers } from "../context.js";
import { streamKeys } from "../streams/wakeups.js";

/** How long a new record or a revoked permission may go unnoticed if its wake-up is lost. */
const maxSleepMs = 5_000;

export const watchEvents = (ctx: Context): Handlers["watchEvents"] =>
  async function* ({ namespaceId, after, acceptsPieces }, { caller, signal, stopping }) {
    const ending = AbortSignal.any([signal, stopping]);
    await requireMember(ctx, caller, namespaceId);
    // Watch before reading. Otherwise a wake-up between the two would be missed.
    using watch = ctx.streamWakeups.watch([streamKeys.namespace(namespaceId)]);
    let position = after === undefined ? await ctx.stream.end() : Math.min(after, await ctx.stream.last());
    yield { position };
    while (!ending.aborted) {
      const records = await ctx.stream.after(namespaceId, position);
      for (const record of records) {
        // Check this before each record, because a slow reader may have lost the permission.
        await requireMember(ctx, caller, namespaceId);
        position = record._id;
        yield* eventMessages(ctx, caller.userId!, record, acceptsPieces);
      }
      if (records.length > 0) continue;
      await watch.wokenUp(maxSleepMs, ending);
      await requireMember(ctx, caller, namespaceId);
    }
    if (stopping.aborted) throw goneElsewhere();
  };
