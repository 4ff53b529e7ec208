import { goneElsewhere } from "@ci/kit/rpc/rpc";
import type { Context } from "../context.js";
import { enter, type Handlers } from "./see.js";

/** How long a record or the end of a right may go unheard when the news of it got lost. */
const lookEveryMs = 5_000;

export const watchEvents = (ctx: Context): Handlers["watchEvents"] =>
  async function* ({ namespaceId, after }, { caller, signal, stopping }) {
    const over = AbortSignal.any([signal, stopping]);
    await enter(ctx, caller, namespaceId);
    // Listen first, then look: news that come in between are not missed.
    using watch = ctx.tail.watch(namespaceId);
    let position = after === undefined ? await ctx.stream.end() : Math.min(after, await ctx.stream.last());
    yield { position };
    while (!over.aborted) {
      const records = await ctx.stream.after(namespaceId, position);
      for (const { _id, kind, payload } of records) {
        // Before each, for whoever reads slowly may have lost the right meanwhile.
        await enter(ctx, caller, namespaceId);
        position = _id;
        yield { position, event: { kind, payload } };
      }
      if (records.length > 0) continue;
      await watch.news(lookEveryMs, over);
      await enter(ctx, caller, namespaceId);
    }
    if (stopping.aborted) throw goneElsewhere();
  };
