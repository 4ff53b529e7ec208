import type { Context } from "../../context.js";

type Stores = Pick<Context, "repositories" | "hookDeliveries" | "hookRemovals" | "wakeHookRemovals">;

/** Longer than the deletion takes. If the process dies meanwhile, the removal finds the repository and does nothing. */
const deletionMs = 60_000;

/**
 * Removes a repository; returns false if it did not exist. A concurrent delivery removes itself at its next step. With an
 * access token, the hook is removed at the provider soon after.
 */
export async function removeRepository(ctx: Stores, id: number): Promise<boolean> {
  const repository = await ctx.repositories.byId(id);
  const { sealedToken } = repository ?? {};
  if (repository && sealedToken) await ctx.hookRemovals.plan({ ...repository, sealedToken }, deletionMs);
  const removed = await ctx.repositories.remove(id);
  await ctx.hookDeliveries.removeOfRepository(id);
  if (sealedToken) {
    await ctx.hookRemovals.makeDue(id);
    ctx.wakeHookRemovals();
  }
  return removed;
}

export async function removeRepositories(ctx: Stores, find: () => Promise<number[]>): Promise<void> {
  for (let ids = await find(); ids.length > 0; ids = await find())
    for (const id of ids) await removeRepository(ctx, id);
}
