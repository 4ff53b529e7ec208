import { FetchFailed } from "@ci/kit/net/fetch-failed";
import type { NothingYet } from "@ci/kit/process/loop";
import { decrypt } from "@ci/kit/security/secrets";
import { removeHooks as removeAtProvider } from "../actions/hooks/provider-hooks.js";
import type { Context } from "../context.js";
import { repositoryToken } from "../store/encrypted-fields.js";
import type { HookRemoval } from "../store/hook-removals.js";

async function remove(ctx: Context, removal: HookRemoval): Promise<void> {
  const { _id, sealedToken, failures } = removal;
  // The process died before it removed the repository, so the hook is still needed.
  if (await ctx.repositories.byId(_id)) return void (await ctx.hookRemovals.done(_id));
  try {
    await removeAtProvider(ctx, removal, decrypt(ctx.config.keyring, sealedToken, repositoryToken(_id)));
    await ctx.hookRemovals.done(_id);
  } catch (err) {
    if (ctx.signal.aborted || !(err instanceof FetchFailed)) throw err;
    const pauseMs = ctx.config.hookPausesMs[failures];
    if (pauseMs !== undefined) return ctx.hookRemovals.retry(removal, pauseMs);
    ctx.log.warn({ repository: _id, reason: err.reason }, "gave up on removing a hook at its provider");
    await ctx.hookRemovals.done(_id);
  }
}

/** Removes the hooks of deleted repositories at their providers. Returns their number. */
export async function removeHooks(ctx: Context): Promise<number | NothingYet> {
  const nextInMs = await ctx.hookRemovals.nextDueInMs();
  if (nextInMs === undefined) return 0;
  if (nextInMs > 0) return { nextInMs };
  let removed = 0;
  for (
    let held = await ctx.hookRemovals.claim(ctx.config.hookLeaseMs);
    held;
    held = await ctx.hookRemovals.claim(ctx.config.hookLeaseMs)
  ) {
    await remove(ctx, held);
    removed++;
  }
  return removed;
}
