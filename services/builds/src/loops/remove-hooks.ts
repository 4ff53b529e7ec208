import type { NothingYet } from "@ci/kit/process/loop";
import { decrypt } from "@ci/kit/security/secrets";
import { sharesOf } from "@ci/kit/turns/shares";
import { removeHooks as removeAtProvider } from "../actions/hooks/provider-hooks.js";
import { reportDisconnected } from "../actions/hooks/report-status.js";
import { ownTask } from "../actions/own-task.js";
import type { Context } from "../context.js";
import { repositoryToken } from "../store/encrypted-fields.js";
import type { HookRemoval } from "../store/hooks/hook-removals.js";

const slots = 4;

/** Removes the hook of a repository that is gone, and replaces pending statuses. */
async function remove(ctx: Context, removal: HookRemoval): Promise<void> {
  const { hookRemovals: removals, config } = ctx;
  const { _id, sealedToken, failures, shas = [] } = removal;
  // The process died before it removed the repository, so the hook is still needed.
  if (await ctx.repositories.byId(_id)) return void (await removals.done(removal));
  let held = removal;
  try {
    const token = decrypt(config.keyring, sealedToken, repositoryToken(_id));
    const [hook] = await Promise.allSettled([removeAtProvider(ctx, removal, token)]);
    const endsMs = performance.now() + config.hookLeaseMs;
    let next = await removals.renew(held, config.hookLeaseMs);
    for (const sha of shas) {
      if (!next) return;
      held = next;
      if (performance.now() > endsMs) return removals.pause(held);
      await reportDisconnected(ctx, removal, sha, token);
      next = await removals.renew(held, config.hookLeaseMs, [sha]);
    }
    if (!next) return;
    held = next;
    if (hook.status === "rejected") throw hook.reason;
  } catch (err) {
    if (ctx.signal.aborted) throw err;
    const pauseMs = config.hookPausesMs[failures];
    if (pauseMs !== undefined) return removals.retry(held, pauseMs);
    ctx.log.warn({ err, repository: _id }, "gave up on removing a hook at its provider");
  }
  await removals.done(held);
}

const tryToRemove = (ctx: Context, removal: HookRemoval): Promise<void> =>
  ownTask(
    ctx,
    remove(ctx, removal).catch((err) => {
      if (!ctx.signal.aborted) ctx.log.warn({ err, repository: removal._id }, "hook not removed; it will be retried");
    }),
  );

/** Returns a pass that starts removals of hooks of deleted repositories, in shares of their users, and returns how many run. */
export function removingHooks(ctx: Context): () => Promise<number | NothingYet> {
  const { hookRemovals: removals, config } = ctx;
  const shares = sharesOf<number | null>(slots);
  return async () => {
    const nextInMs = await removals.nextDueInMs();
    if (nextInMs !== undefined && nextInMs > 0) return { nextInMs };
    while (nextInMs !== undefined && !shares.isFull()) {
      const held = await removals.claim(config.hookLeaseMs, shares.sated());
      if (!held) break;
      shares.start(held.userId ?? null, tryToRemove(ctx, held), ctx.wakeHookRemovals);
    }
    return shares.running();
  };
}
