import { type Caller, userOf } from "@ci/kit/rpc/caller";
import { Fault, notFound } from "@ci/kit/rpc/fault";
import { complain, validated } from "@ci/kit/rpc/validated";
import { encrypt } from "@ci/kit/security/secrets";
import type { UpdateRepositoryRequest } from "@ci/proto/builds/v1/repositories";
import { findRepository } from "../../actions/hooks/find-delivery.js";
import { registerSoon, withoutToken } from "../../actions/hooks/register-hook.js";
import { showRepository } from "../../actions/hooks/show-repository.js";
import { killIgnored } from "../../actions/hooks/supersede.js";
import { waitFor } from "../../actions/wait-for.js";
import type { Context, RepositoryHandlers } from "../../context.js";
import { changeComplaints, isForks } from "../../domain/repository.js";
import { repositorySecret, repositoryToken } from "../../store/encrypted-fields.js";
import type { RepositoryChange, RepositoryDoc } from "../../store/repositories.js";

const maxAttempts = 10;

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
  const keepsToken = accessToken || (hasAccessToken && !removeAccessToken);
  const hook = keepsToken ? ({ hook: "pending" } as const) : withoutToken;
  return {
    // The provider needs a new secret, and a new token may be allowed to register it.
    ...(accessToken || secret ? hook : {}),
    // One write: concurrent changes must not combine one user's secret with another user.
    ...(secret ? { sealedSecret: encrypt(keyring, secret, repositorySecret(id)), userId: callerId } : {}),
    ...token,
    ...(isForks(forks) ? { forks } : {}),
    ...(cancelSuperseded === undefined ? {} : { cancelSuperseded }),
  };
}

async function takeoverComplaints(
  { repositories }: Context,
  { secret }: UpdateRepositoryRequest,
  owner: number,
  by: number,
) {
  return secret && by !== owner ? repositories.quotaComplaints(by) : {};
}

async function update(
  ctx: Context,
  request: UpdateRepositoryRequest,
  caller: Caller,
  read: RepositoryDoc,
): Promise<RepositoryDoc> {
  const callerId = userOf(caller);
  let before = read;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const changed = await ctx.repositories.change(before, changeOf(ctx, request, before, callerId));
    if (changed) return changed;
    before = await findRepository(ctx, caller, request.namespaceId, request.id);
    complain(await takeoverComplaints(ctx, request, before.userId, callerId));
  }
  throw new Fault("unavailable", "The repository has too many concurrent changes");
}

export const updateRepository = (ctx: Context): RepositoryHandlers["updateRepository"] =>
  validated(async (request, { caller }) => {
    const { namespaceId, id } = request;
    const before = await findRepository(ctx, caller, namespaceId, id);
    return {
      complaints: {
        ...changeComplaints(request),
        ...(await takeoverComplaints(ctx, request, before.userId, userOf(caller))),
      },
      async change() {
        const changed = await update(ctx, request, caller, before);
        if (changed.hook === "pending") await waitFor(registerSoon(ctx, changed), ctx.config.hookAnswerMs);
        const after = await ctx.repositories.byId(id);
        if (!after) throw notFound();
        await killIgnored(ctx, id);
        return { repository: await showRepository(ctx, after) };
      },
    };
  });
