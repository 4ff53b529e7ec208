import { sharesOf } from "@ci/kit/turns/shares";
import { registerClaimed } from "../actions/hooks/register-hook.js";
import type { Context } from "../context.js";

const slots = 4;

/** Returns a pass that registers hooks which dead processes left pending, in shares of their users, and returns how many run. */
export function registeringHooks(ctx: Context, ended: () => void): () => Promise<number> {
  const shares = sharesOf<number>(slots);
  return async () => {
    while (!shares.isFull()) {
      const held = await ctx.repositories.claimAnyHook(shares.sated(), ctx.config.hookLeaseMs);
      if (!held) break;
      shares.start(held.userId, registerClaimed(ctx, held), ended);
    }
    return shares.running();
  };
}
