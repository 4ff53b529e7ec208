import { registerSoon } from "../actions/hooks/register-hook.js";
import type { Context } from "../context.js";

/** Registers hooks that a process left pending when it died. Returns the number of repositories. */
export async function registerHooks(ctx: Context): Promise<number> {
  const ids = await ctx.repositories.pendingHooks();
  for (const id of ids) await registerSoon(ctx, id);
  return ids.length;
}
