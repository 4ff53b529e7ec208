import { quoted } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import { findRepository } from "../../actions/hooks/find-delivery.js";
import { readTip, tokenOf, Unreadable } from "../../actions/hooks/read-commit.js";
import { inReadingTurnWithin } from "../../actions/hooks/reading-turns.js";
import { storeDelivery } from "../../actions/hooks/store-delivery.js";
import type { Context, RepositoryHandlers } from "../../context.js";
import type { HookChange } from "../../domain/hooks/change.js";
import type { RepositoryDoc } from "../../store/repositories.js";

interface Found {
  readonly change?: HookChange | undefined;
  readonly complaint?: string;
}

/** Reads what a ref names now, by default the default branch. */
async function lookUp(ctx: Context, repository: RepositoryDoc, ref: string, signal: AbortSignal): Promise<Found> {
  const { provider, url, userId } = repository;
  const address = { provider, url, token: tokenOf(ctx, repository) };
  const read = (leftMs: number) => readTip(ctx, address, leftMs, ref);
  try {
    const change = await inReadingTurnWithin(ctx, userId, ctx.config.hookAnswerMs, signal, read);
    if (change) return { change };
    return {
      complaint:
        ref === ""
          ? "Ref the repository has no default branch with a commit; name a branch or tag"
          : `Ref no such branch or tag ${quoted(ref)}`,
    };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { complaint: `Ref ${error.message}; check the address and the access token` };
  }
}

export const runRepository = (ctx: Context): RepositoryHandlers["runRepository"] =>
  validated(async ({ namespaceId, id, ref }, { caller, validateOnly, signal }) => {
    const repository = await findRepository(ctx, caller, namespaceId, id);
    const { change, complaint }: Found = validateOnly ? {} : await lookUp(ctx, repository, ref, signal);
    return {
      complaints: { ref: complaint === undefined ? [] : [complaint] },
      async change() {
        signal.throwIfAborted();
        await findRepository(ctx, caller, namespaceId, id);
        const advance = await storeDelivery(ctx, id, { userId: repository.userId, event: "run", change });
        return { delivery: await advance() };
      },
    };
  });
