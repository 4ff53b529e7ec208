import { nextId } from "@ci/kit/mongo/ids";
import { targetCheck } from "@ci/kit/net/guarded-agent";
import { validated } from "@ci/kit/rpc/validated";
import { encrypt } from "@ci/kit/security/secrets";
import type { CreateRepositoryRequest, Repository_Provider } from "@ci/proto/builds/v1/repositories";
import { readTip, Unreadable } from "../../actions/hooks/read-commit.js";
import { inReadingTurnWithin } from "../../actions/hooks/reading-turns.js";
import { recognizeProvider } from "../../actions/hooks/recognize-provider.js";
import { registerSoon, withoutToken } from "../../actions/hooks/register-hook.js";
import { storeDelivery } from "../../actions/hooks/store-delivery.js";
import { requireMember } from "../../actions/see.js";
import { waitFor } from "../../actions/wait-for.js";
import type { Context, RepositoryHandlers } from "../../context.js";
import type { HookChange } from "../../domain/hooks/change.js";
import { isProvider } from "../../domain/hooks/providers.js";
import { isForks, repositoryComplaints, urlKey } from "../../domain/repository.js";
import { repositorySecret, repositoryToken } from "../../store/encrypted-fields.js";
import { type RepositoryDoc, toRepository } from "../../store/repositories.js";

async function create(ctx: Context, request: CreateRepositoryRequest, userId: number, head: HookChange | undefined) {
  const { namespaceId, provider, url, secret, accessToken = "", forks = "", cancelSuperseded = false } = request;
  const { keyring } = ctx.config;
  const id = await nextId(ctx.db, "repositories");
  const doc: RepositoryDoc = {
    _id: id,
    namespaceId,
    userId,
    provider: provider as Repository_Provider,
    url,
    urlKey: urlKey(url),
    hasAccessToken: accessToken !== "",
    createdAt: ctx.now(),
    forks: isForks(forks) ? forks : "approve",
    cancelSuperseded,
    ...(accessToken === "" ? withoutToken : { hook: "pending" }),
    sealedSecret: encrypt(keyring, secret, repositorySecret(id)),
    sealedToken: accessToken === "" ? undefined : encrypt(keyring, accessToken, repositoryToken(id)),
  };
  // A delivery whose repository a crash prevents is removed when it is due.
  const advance = head && (await storeDelivery(ctx, id, { userId, event: "connected", change: head }));
  await ctx.repositories.insert(doc);
  ctx.deletions.created(doc);
  // A crash after the insert loses nothing: the loop registers pending hooks.
  await waitFor(registerSoon(ctx, doc), ctx.config.hookAnswerMs);
  const made = (await ctx.repositories.byId(id)) ?? doc;
  return { repository: toRepository(made), delivery: await advance?.() };
}

interface Found {
  readonly provider: string;
  readonly head?: HookChange | undefined;
  readonly unreadable?: string;
}

/** Finds the provider, if the request does not name it, and reads the default branch, if it is to be built. */
async function lookUp(
  ctx: Context,
  request: CreateRepositoryRequest,
  userId: number,
  signal: AbortSignal,
): Promise<Found> {
  const { url, accessToken: token = "", build = false } = request;
  const provider = request.provider || (await recognizeProvider(ctx, url, token)) || "";
  if (!build || !isProvider(provider)) return { provider };
  try {
    const read = (leftMs: number) => readTip(ctx, { provider, url, token }, leftMs);
    return { provider, head: await inReadingTurnWithin(ctx, userId, ctx.config.hookAnswerMs, signal, read) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { provider, unreadable: `Url ${error.message}; check the address and the access token` };
  }
}

export const createRepository = (ctx: Context): RepositoryHandlers["createRepository"] =>
  validated(async (request, { caller, validateOnly, signal }) => {
    await requireMember(ctx, caller, request.namespaceId);
    const { provider, url, secret, accessToken = "", forks = "" } = request;
    const isBlocked = await targetCheck(url, ctx.config);
    const about = (provider: string) => repositoryComplaints({ provider, url, secret, accessToken, forks }, isBlocked);
    const { provider: _, ...others } = about(provider);
    const isPlausible = !validateOnly && Object.values(others).every((complaints) => complaints.length === 0);
    const found: Found = isPlausible ? await lookUp(ctx, request, caller.userId!, signal) : { provider };
    const complaints = about(found.provider);
    return {
      complaints: {
        ...(await ctx.repositories.quotaComplaints(caller.userId!)),
        ...complaints,
        url: [...complaints.url, ...(found.unreadable === undefined ? [] : [found.unreadable])],
      },
      async change() {
        signal.throwIfAborted();
        await requireMember(ctx, caller, request.namespaceId);
        return create(ctx, { ...request, provider: found.provider }, caller.userId!, found.head);
      },
    };
  });
