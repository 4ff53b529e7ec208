import { openRemote } from "@ci/git/remote";
import { duplicateKey } from "@ci/kit/mongo/mongo";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { asFault } from "@ci/kit/rpc/fault";
import { decrypt } from "@ci/kit/security/secrets";
import type { Context } from "../../context.js";
import { commitFacts } from "../../domain/facts.js";
import { type HookChange, shortComment, shortRef } from "../../domain/hooks/change.js";
import { maxObjects } from "../../git/limits.js";
import { type CommitFound, readManifests } from "../../git/manifests.js";
import { repositoryToken } from "../../store/encrypted-fields.js";
import type { HookDelivery } from "../../store/hook-deliveries.js";
import type { RepositoryDoc } from "../../store/repositories.js";
import { recordBuilds } from "../record-builds.js";
import { type CommitRequest, submitCommit } from "../submit.js";

/** Each manifest makes a build: one commit must not be able to fill the queue. */
const maxManifests = fixedLimit({
  max: 20,
  about: "manifests of one commit",
  effect: "the commit makes no build; its status is an error",
});

export type CommitResult = Required<Pick<HookDelivery, "sha" | "wrong">>;

export const tokenOf = ({ config }: Context, { _id: id, sealedToken }: RepositoryDoc): string | undefined =>
  sealedToken && decrypt(config.keyring, sealedToken, repositoryToken(id));

async function readCommit(ctx: Context, repository: RepositoryDoc, { sha }: HookChange): Promise<CommitFound> {
  const { hookTimeoutMs: timeoutMs, hookReadBytes: maxBytes } = ctx.config;
  const token = tokenOf(ctx, repository);
  // GitHub accepts tokens of GitHub Apps only under this user name.
  const user = repository.provider === "github" ? "x-access-token" : "oauth2";
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(timeoutMs)]);
  const { agent } = ctx;
  const credentials = token && `${user}:${token}`;
  const limits = { timeoutMs, maxBytes, maxObjects };
  const remote = await openRemote({ agent, url: repository.url, credentials, signal, ...limits });
  return readManifests(remote, sha, maxManifests + 1);
}

function triggerData(change: HookChange, { provider, url }: RepositoryDoc, sha: string): Record<string, string> {
  const { repoId, ref, email, username, id, action } = change;
  const data: Record<string, string> = { provider, repo_id: repoId, url, ref, sha, email, username };
  return id === undefined || action === undefined ? data : { ...data, id, action };
}

function requestFor(
  ctx: Context,
  { userId, ...repository }: RepositoryDoc,
  { _id: deliveryId, change }: HookDelivery,
  commit: CommitFound,
): Omit<CommitRequest, "text" | "namespace"> {
  const { type, comment, ref, fork } = change;
  const { sha, message } = commit;
  const data = triggerData(change, { userId, ...repository }, sha);
  return {
    userId,
    tags: [[...shortRef(ref)].slice(0, ctx.config.tagLength).join("")],
    trigger: () => ({ type, comment: shortComment(comment || message), data }),
    origin: { deliveryId, url: repository.url, sha, bare: fork, ...commitFacts(change, commit) },
  };
}

/** Submits the build of a manifest, unless it exists already. Returns false if the manifest is invalid. */
async function trySubmit(ctx: Context, request: CommitRequest, repositoryId: number): Promise<boolean> {
  try {
    await submitCommit(ctx, request);
    return true;
  } catch (error) {
    if (duplicateKey(error)) return true;
    const { code, fields } = asFault(error);
    if (code !== "invalid") throw error;
    ctx.log.warn({ repository: repositoryId, path: request.origin.path, fields }, "commit has an invalid manifest");
    return false;
  }
}

async function writableNamespace({ accounts }: Context, { userId, namespaceId }: RepositoryDoc) {
  const { namespaceIds } = await accounts.allow({ userId, action: "write", namespaceIds: [namespaceId] });
  if (!namespaceIds.includes(namespaceId)) return undefined;
  const { namespaces } = await accounts.resolve({ userIds: [], namespaceIds });
  return namespaces.find(({ id }) => id === namespaceId);
}

/** Submits a build for each manifest of the commit that has none yet. Throws if it has to be retried. */
export async function buildCommit(
  ctx: Context,
  repository: RepositoryDoc,
  delivery: HookDelivery,
): Promise<CommitResult> {
  const { _id: id } = repository;
  const namespace = await writableNamespace(ctx, repository);
  if (!namespace) {
    ctx.log.warn({ repository: id }, "the repository's user may no longer submit to its namespace");
    return { sha: delivery.change.sha, wrong: true };
  }
  const commit = await readCommit(ctx, repository, delivery.change);
  const { sha, manifests } = commit;
  if (manifests.length > maxManifests) {
    ctx.log.warn({ repository: id, sha, manifests: manifests.length, maxManifests }, "commit has too many manifests");
    return { sha, wrong: true };
  }
  const made = new Set((await ctx.builds.ofDelivery(delivery._id)).map(({ path }) => path));
  const request = requestFor(ctx, repository, delivery, commit);
  let wrong = false;
  for (const { path, text } of manifests) {
    if (made.has(path)) continue;
    const origin = { ...request.origin, path };
    if (!(await trySubmit(ctx, { ...request, text, namespace, origin }, id))) wrong = true;
  }
  const builds = await ctx.builds.ofDelivery(delivery._id);
  await recordBuilds(ctx, builds, { actor: "hook", origin: `/hooks/${repository.provider}/${id}`, namespace });
  return { sha, wrong };
}
