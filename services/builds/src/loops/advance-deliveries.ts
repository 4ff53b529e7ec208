import type { NothingYet } from "@ci/kit/process/loop";
import { advance } from "../actions/hooks/advance.js";
import type { Context } from "../context.js";

/** Enough that a repository that does not respond delays few others. */
const concurrency = 8;

/** Runs the next step of every hook delivery that is due. Returns the number of deliveries. */
export async function advanceDeliveries(ctx: Context): Promise<number | NothingYet> {
  const nextInMs = await ctx.hookDeliveries.nextDueInMs();
  if (nextInMs === undefined) return 0;
  if (nextInMs > 0) return { nextInMs };
  const ids = (await ctx.hookDeliveries.due()).values();
  let advanced = 0;
  const worker = async () => {
    for (const id of ids) {
      const held = await ctx.hookDeliveries.claim(id, ctx.config.hookLeaseMs);
      if (!held) continue;
      await advance(ctx, held);
      advanced++;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return advanced;
}
