import { duplicateKey } from "@ci/kit/mongo/mongo";
import { asFault } from "@ci/kit/rpc/fault";
import { decrypt } from "@ci/kit/security/secrets";
import type { Context } from "../context.js";
import { type HookChange, shortRef } from "../domain/hooks/change.js";
import { type CommitFound, readManifests } from "../git/manifests.js";
import { openRemote } from "../git/remote.js";
import type { HookDelivery } from "../store/hook-deliveries.js";
import type { RepositoryDoc } from "../store/repositories.js";
import { repositoryToken } from "../store/sealed.js";
import { type CommitWish, submitCommit } from "../submit.js";

/** Each makes a build: who pushes must not be able to fill the queue with one commit. */
const mostManifests = 20;

/** What it has come to. */
export type Built = Required<Pick<HookDelivery, "sha" | "wrong">>;

/** The access token of a repository, if it has one. Fault `internal` when it cannot be decrypted. */
export const tokenOf = ({ config }: Context, { _id: id, sealedToken }: RepositoryDoc): string | undefined =>
  sealedToken && decrypt(config.keyring, sealedToken, repositoryToken(id));

async function read(ctx: Context, repository: RepositoryDoc, { sha }: HookChange): Promise<CommitFound> {
  const { hookTimeoutMs: timeoutMs, hookReadBytes: mostBytes } = ctx.config;
  const token = tokenOf(ctx, repository);
  // GitHub takes tokens of its applications under this name alone; the others do not mind it.
  const user = repository.provider === "github" ? "x-access-token" : "oauth2";
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(timeoutMs)]);
  const { agent } = ctx;
  const credentials = token && `${user}:${token}`;
  const remote = await openRemote({ agent, url: repository.url, credentials, signal, timeoutMs, mostBytes });
  return readManifests(remote, sha);
}

/** What the trigger of a build tells about the change. */
function dataOf(change: HookChange, { provider, url }: RepositoryDoc, sha: string): Record<string, string> {
  const { repoId, ref, email, username, id, action } = change;
  const data: Record<string, string> = { provider, repo_id: repoId, url, ref, sha, email, username };
  return id === undefined || action === undefined ? data : { ...data, id, action };
}

function wishOf(
  ctx: Context,
  { userId, ...repository }: RepositoryDoc,
  { _id: deliveryId, change }: HookDelivery,
  { sha, message }: CommitFound,
): Omit<CommitWish, "text" | "namespace"> {
  const { type, comment, ref, fork } = change;
  const data = dataOf(change, { userId, ...repository }, sha);
  return {
    userId,
    tags: [[...shortRef(ref)].slice(0, ctx.config.tagLength).join("")],
    trigger: () => ({ type, comment: comment || message, data }),
    origin: { deliveryId, url: repository.url, sha, bare: fork },
  };
}

/** Whether a build was made, now or before. An invalid manifest makes none, ever. */
async function tryToSubmit(ctx: Context, wish: CommitWish, repositoryId: number): Promise<boolean> {
  try {
    await submitCommit(ctx, wish);
    return true;
  } catch (error) {
    if (duplicateKey(error)) return true;
    const { code, fields } = asFault(error);
    if (code !== "invalid") throw error;
    ctx.log.warn({ repository: repositoryId, path: wish.origin.path, fields }, "manifest of a commit is invalid");
    return false;
  }
}

/** The namespace of a repository, if the repository's user may still submit builds to it. */
async function placeOf({ accounts }: Context, { userId, namespaceId }: RepositoryDoc) {
  const { namespaceIds } = await accounts.allow({ userId, action: "write", namespaceIds: [namespaceId] });
  if (!namespaceIds.includes(namespaceId)) return undefined;
  const { namespaces } = await accounts.resolve({ userIds: [], namespaceIds });
  return namespaces.find(({ id }) => id === namespaceId);
}

/**
 * Reads the manifests of a delivery's commit and submits a build for each that has none yet. Repeating it makes
 * nothing twice. Throws when it has to be tried again.
 */
export async function buildCommit(ctx: Context, repository: RepositoryDoc, delivery: HookDelivery): Promise<Built> {
  const { _id: id } = repository;
  const namespace = await placeOf(ctx, repository);
  if (!namespace) {
    ctx.log.warn({ repository: id }, "the repository's user may no longer submit to its namespace");
    return { sha: delivery.change.sha, wrong: true };
  }
  const commit = await read(ctx, repository, delivery.change);
  const { sha, manifests } = commit;
  if (manifests.length > mostManifests) {
    ctx.log.warn(
      { repository: id, sha, manifests: manifests.length },
      `commit has more than ${mostManifests} manifests`,
    );
    return { sha, wrong: true };
  }
  const made = new Set((await ctx.builds.ofDelivery(delivery._id)).map(({ path }) => path));
  const wish = wishOf(ctx, repository, delivery, commit);
  let wrong = false;
  for (const { path, text } of manifests) {
    if (made.has(path)) continue;
    const origin = { ...wish.origin, path };
    if (!(await tryToSubmit(ctx, { ...wish, text, namespace, origin }, id))) wrong = true;
  }
  return { sha, wrong };
}
