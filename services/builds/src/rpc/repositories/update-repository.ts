import { userOf } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import { encrypt } from "@ci/kit/security/secrets";
import type { UpdateRepositoryRequest } from "@ci/proto/builds/v1/repositories";
import { findRepository } from "../../actions/hooks/find-delivery.js";
import { registerSoon } from "../../actions/hooks/register-hook.js";
import { waitFor } from "../../actions/hooks/wait-for.js";
import type { Context, RepositoryHandlers } from "../../context.js";
import { changeComplaints, isForks } from "../../domain/repository.js";
import { repositorySecret, repositoryToken } from "../../store/encrypted-fields.js";
import { type RepositoryChange, type RepositoryDoc, toRepository } from "../../store/repositories.js";

/** Returns the change of a request. A member who sets the secret takes the repository over, without the access token. */
function changeOf(
  { config: { keyring } }: Context,
  request: UpdateRepositoryRequest,
  { hasAccessToken, userId }: RepositoryDoc,
  callerId: number,
): RepositoryChange {
  const { id, secret, accessToken, forks = "", cancelSuperseded } = request;
  const removeAccessToken = request.removeAccessToken || (!!secret && callerId !== userId);
  const token = accessToken
    ? { hasAccessToken: true, sealedToken: encrypt(keyring, accessToken, repositoryToken(id)) }
    : removeAccessToken && { hasAccessToken: false, sealedToken: undefined };
  return {
    // The provider needs a new secret, and a new token may be allowed to register it. Discards a concurrent
    // registration with the old ones.
    ...(accessToken || (secret && hasAccessToken && !removeAccessToken)
      ? { hook: "pending" as const, hookHeldUntil: undefined }
      : {}),
    // One write: concurrent changes must not combine one user's secret with another user.
    ...(secret ? { sealedSecret: encrypt(keyring, secret, repositorySecret(id)), userId: callerId } : {}),
    ...token,
    ...(isForks(forks) ? { forks } : {}),
    ...(cancelSuperseded === undefined ? {} : { cancelSuperseded }),
  };
}

export const updateRepository = (ctx: Context): RepositoryHandlers["updateRepository"] =>
  validated(async (request, { caller }) => {
    const { namespaceId, id } = request;
    const before = await findRepository(ctx, caller, namespaceId, id);
    const callerId = userOf(caller);
    const takesOver = request.secret && callerId !== before.userId;
    return {
      complaints: {
        ...changeComplaints(request),
        ...(takesOver ? await ctx.repositories.quotaComplaints(callerId) : {}),
      },
      async change() {
        const changed = await ctx.repositories.change(namespaceId, id, changeOf(ctx, request, before, callerId));
        if (changed?.hook === "pending") await waitFor(registerSoon(ctx, id), ctx.config.hookAnswerMs);
        const after = changed && (await ctx.repositories.byId(id));
        if (!after) throw notFound();
        return { repository: toRepository(after) };
      },
    };
  });
