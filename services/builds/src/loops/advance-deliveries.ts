import type { Context } from "../context.js";
import { advance } from "../hooks/advance.js";

/** So that one repository that does not answer holds up few others. */
const atOnce = 8;

/** One pass: does the next step for every delivery that is due. Answers how many. */
export async function advanceDeliveries(ctx: Context): Promise<number> {
  const ids = (await ctx.hookDeliveries.due()).values();
  let advanced = 0;
  const takeTurns = async () => {
    for (const id of ids) {
      const held = await ctx.hookDeliveries.claim(id, ctx.config.hookLeaseMs);
      if (!held) continue;
      await advance(ctx, held);
      advanced++;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, takeTurns));
  return advanced;
}
