import { FetchFailed } from "@ci/kit/net/fetch-failed";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { decrypt } from "@ci/kit/security/secrets";
import { fairly } from "@ci/kit/turns/fairly";
import type { Context } from "../../context.js";
import { repositorySecret } from "../../store/encrypted-fields.js";
import type { HookOutcome, RepositoryDoc } from "../../store/repositories.js";
import { ownTask } from "../own-task.js";
import { addHook, RateLimited } from "./provider-hooks.js";
import { tokenOf } from "./read-commit.js";
import { isBusy } from "./reading-turns.js";
import { removeHookSoon } from "./remove-repository.js";

const maxRegistrations = fixedLimit({
  max: 8,
  about: "hooks of new and changed repositories that a process registers at a time",
  effect: "further ones wait; one user gets half of these",
});
const maxWaiting = fixedLimit({
  max: 16,
  about: "hooks of one user's new and changed repositories that wait to be registered",
  effect: "further ones are registered later",
});
const maxRetryMs = fixedLimit({
  max: 60 * 60_000,
  unit: "ms",
  about: "pause before a hook is registered again after a provider's rate limit",
  effect: "longer pauses are shortened to this",
});
const inTurn = fairly<number>(maxRegistrations, maxWaiting, "Too many hooks");

export const withoutToken = { hook: "by_hand", hookReason: "no access token" } as const;

const advice: Readonly<Record<string, string>> = {
  401: "the access token is not valid",
  403: "the access token may not manage hooks",
  404: "the repository does not exist or the access token may not manage its hooks",
  429: "too many requests; set the access token again later",
};

const refused = (reason: string): string => `the provider did not register the hook: ${reason}`;

async function register(ctx: Context, repository: RepositoryDoc): Promise<HookOutcome> {
  const token = tokenOf(ctx, repository);
  if (!token) return withoutToken;
  const secret = decrypt(ctx.config.keyring, repository.sealedSecret, repositorySecret(repository._id));
  try {
    await addHook(ctx, repository, { secret, token });
    return { hook: "registered", hookReason: undefined };
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    if (!(error instanceof FetchFailed)) {
      ctx.log.warn({ err: error, repository: repository._id }, "hook not registered");
      return { hook: "by_hand", hookReason: "the service could not ask the provider; check the address" };
    }
    const pauseMs = ctx.config.hookPausesMs[repository.hookFailures ?? 0];
    if (error instanceof RateLimited && pauseMs !== undefined) {
      const retryInMs = Math.min(maxRetryMs, Math.max(pauseMs, error.waitMs));
      return { hook: "pending", hookReason: refused("429, too many requests; the service will try again"), retryInMs };
    }
    const why = advice[error.reason];
    const reason = why ? `${error.reason}, ${why}` : error.reason;
    return { hook: "by_hand", hookReason: refused(reason) };
  }
}

/** Registers a claimed hook. Does so again if that was requested meanwhile, because the provider may have the old one. */
async function registerHeld(ctx: Context, first: RepositoryDoc): Promise<void> {
  const { repositories, config } = ctx;
  let held: RepositoryDoc | null = first;
  while (held) {
    if (await repositories.settleHook(held, await register(ctx, held))) return;
    if (!(await repositories.requestHookAgain(held))) return removeHookSoon(ctx, held);
    held = await repositories.claimHook(held._id, config.hookLeaseMs);
  }
}

export const registerClaimed = (ctx: Context, held: RepositoryDoc): Promise<void> =>
  ownTask(
    ctx,
    registerHeld(ctx, held).catch((err) => {
      if (!ctx.signal.aborted)
        ctx.log.warn({ err, repository: held._id }, "hook not registered; the next pass will retry it");
    }),
  );

/** Registers a repository's pending hook in its user's turn. Leaves it to a process that is doing so, or to the loop. */
export async function registerSoon(
  ctx: Context,
  { _id, userId }: Pick<RepositoryDoc, "_id" | "userId">,
): Promise<void> {
  const registerPending = async () => {
    const held = await ctx.repositories.claimHook(_id, ctx.config.hookLeaseMs);
    if (held) await registerClaimed(ctx, held);
  };
  await inTurn(userId, registerPending, ctx.signal).catch((error) => {
    if (!isBusy(error)) throw error;
  });
}
