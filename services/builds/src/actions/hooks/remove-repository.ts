import type { Context } from "../../context.js";
import type { RepositoryDoc } from "../../store/repositories.js";

type Stores = Pick<Context, "repositories" | "hookDeliveries" | "hookRemovals" | "wakeHookRemovals">;

/** Longer than the deletion takes. If the process dies meanwhile, the removal finds the repository and does nothing. */
const deletionMs = 60_000;

async function plan(
  { hookRemovals }: Stores,
  { sealedToken, ...doc }: RepositoryDoc,
  shas: readonly string[],
  waitMs: number,
  from?: Date,
) {
  if (sealedToken) await hookRemovals.plan({ ...doc, sealedToken, shas }, waitMs, from);
}

/** Nobody registers the hook until a provider's rate limit is over. */
const waitsToRetry = ({ hookFailures, hookWatchedUntil }: RepositoryDoc): boolean =>
  hookFailures !== undefined && hookWatchedUntil === undefined;

export async function removeHookSoon(ctx: Stores, repository: RepositoryDoc, shas: readonly string[] = []) {
  await plan(ctx, repository, shas, 0);
  ctx.wakeHookRemovals();
}

/**
 * Removes a repository; returns false if it did not exist. A concurrent delivery removes itself at its next step. With an
 * access token, the hook is removed at the provider soon after: if it is just being registered, by who registers it. Then
 * pending statuses are replaced, too.
 */
export async function removeRepository(ctx: Stores, id: number): Promise<boolean> {
  const repository = await ctx.repositories.byId(id);
  if (repository) await plan(ctx, repository, await ctx.hookDeliveries.pendingCommits(id), deletionMs);
  const removed = await ctx.repositories.remove(id);
  const shas = await ctx.hookDeliveries.pendingCommits(id);
  await ctx.hookDeliveries.removeOfRepository(id);
  if (removed?.hookHeldUntil && !waitsToRetry(removed))
    await plan(ctx, removed, shas, deletionMs, removed.hookHeldUntil);
  else if (removed) await removeHookSoon(ctx, removed, shas);
  return removed !== null;
}

export async function removeRepositories(ctx: Stores, ids: readonly number[]): Promise<boolean> {
  for (const id of ids) await removeRepository(ctx, id);
  return ids.length > 0;
}
