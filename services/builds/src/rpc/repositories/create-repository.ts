import { nextId } from "@ci/kit/mongo/ids";
import { targetCheck } from "@ci/kit/net/guarded-agent";
import { validated } from "@ci/kit/rpc/validated";
import { encrypt } from "@ci/kit/security/secrets";
import type { CreateRepositoryRequest, Repository_Provider } from "@ci/proto/builds/v1/repositories";
import { registerSoon } from "../../actions/hooks/register-hook.js";
import { waitFor } from "../../actions/hooks/wait-for.js";
import { requireMember } from "../../actions/require-member.js";
import type { Context, RepositoryHandlers } from "../../context.js";
import { isForks, repositoryComplaints } from "../../domain/repository.js";
import { repositorySecret, repositoryToken } from "../../store/encrypted-fields.js";
import { type RepositoryDoc, toRepository } from "../../store/repositories.js";

async function create(ctx: Context, request: CreateRepositoryRequest, userId: number): Promise<RepositoryDoc> {
  const { namespaceId, provider, url, secret, accessToken = "", forks = "", cancelSuperseded = false } = request;
  const { keyring } = ctx.config;
  const id = await nextId(ctx.db, "repositories");
  const doc: RepositoryDoc = {
    _id: id,
    namespaceId,
    userId,
    provider: provider as Repository_Provider,
    url,
    hasAccessToken: accessToken !== "",
    createdAt: ctx.now(),
    forks: isForks(forks) ? forks : "approve",
    cancelSuperseded,
    ...(accessToken === "" ? { hook: "by_hand", hookReason: "no access token" } : { hook: "pending" }),
    sealedSecret: encrypt(keyring, secret, repositorySecret(id)),
    sealedToken: accessToken === "" ? undefined : encrypt(keyring, accessToken, repositoryToken(id)),
  };
  await ctx.repositories.insert(doc);
  ctx.deletions.created(doc);
  // A crash after the insert loses nothing: the loop registers pending hooks.
  await waitFor(registerSoon(ctx, id), ctx.config.hookAnswerMs);
  return (await ctx.repositories.byId(id)) ?? doc;
}

export const createRepository = (ctx: Context): RepositoryHandlers["createRepository"] =>
  validated(async (request, { caller }) => {
    await requireMember(ctx, caller, request.namespaceId);
    const { provider, url, secret, accessToken = "", forks = "" } = request;
    return {
      complaints: {
        ...(await ctx.repositories.quotaComplaints(caller.userId!)),
        ...repositoryComplaints({ provider, url, secret, accessToken, forks }, await targetCheck(url, ctx.config)),
      },
      change: async () => ({ repository: toRepository(await create(ctx, request, caller.userId!)) }),
    };
  });
