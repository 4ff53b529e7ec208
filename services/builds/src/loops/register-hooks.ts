import { sharesOf } from "@ci/kit/process/shares";
import { registerClaimed } from "../actions/hooks/register-hook.js";
import type { Context } from "../context.js";

const slots = 4;

/**
 * Returns a pass that starts to register hooks that a process left pending when it died, in shares of their users. Returns
 * how many run. Calls `ended` when another may start.
 */
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
