import { nextId } from "@ci/kit/mongo/ids";
import { targetCheck } from "@ci/kit/net/guarded-agent";
import { refuse } from "@ci/kit/rpc/refuse";
import { encrypt } from "@ci/kit/security/secrets";
import type { Repository_Provider } from "@ci/proto/builds/v1/repositories";
import type { Context, RepositoryHandlers } from "../../context.js";
import { repositoryComplaints } from "../../domain/repository.js";
import { type RepositoryDoc, toRepository } from "../../store/repositories.js";
import { repositorySecret, repositoryToken } from "../../store/sealed.js";
import { enter } from "./enter.js";

export const createRepository =
  (ctx: Context): RepositoryHandlers["createRepository"] =>
  async ({ namespaceId, provider, url, secret, accessToken = "" }, { caller }) => {
    await enter(ctx, caller, namespaceId);
    const { keyring } = ctx.config;
    refuse(repositoryComplaints({ provider, url, secret, accessToken }, await targetCheck(url, ctx.config)));
    const id = await nextId(ctx.db, "repositories");
    const doc: RepositoryDoc = {
      _id: id,
      namespaceId,
      userId: caller.userId!,
      provider: provider as Repository_Provider,
      url,
      hasAccessToken: accessToken !== "",
      createdAt: ctx.now(),
      sealedSecret: encrypt(keyring, secret, repositorySecret(id)),
      sealedToken: accessToken === "" ? undefined : encrypt(keyring, accessToken, repositoryToken(id)),
    };
    await ctx.repositories.insert(doc);
    ctx.deletions.created(doc);
    return { repository: toRepository(doc) };
  };
