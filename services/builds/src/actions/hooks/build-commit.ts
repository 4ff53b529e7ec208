import { duplicateKey } from "@ci/kit/mongo/duplicates";
import { asFault, Fault } from "@ci/kit/rpc/fault";
import { inTurn } from "@ci/kit/turns/in-turn";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../../context.js";
import { commitFacts } from "../../domain/facts.js";
import {
  branchOf,
  type HookChange,
  isForeign,
  shortComment,
  shortRef,
  subjectOf,
  tagOf,
} from "../../domain/hooks/change.js";
import { boundedReasons, earlierUsers, skipMark } from "../../domain/hooks/reasons.js";
import { dayMs } from "../../domain/hooks/unapproved.js";
import { tagFrom } from "../../domain/tags.js";
import { type BuiltDelivery, type HookDelivery, orderOf } from "../../store/hooks/hook-deliveries.js";
import { forksOf, type RepositoryDoc } from "../../store/repositories.js";
import { findOwners } from "../find-owners.js";
import { groupMembers } from "../submit/group-members.js";
import { type CommitRequest, submitCommit, Unwanted } from "../submit/prepare-commit.js";
import { type CommitRead, maxManifests, readCommit } from "./read-commit.js";
import { spareTip } from "./spare-tip.js";
import { killIgnored, killSuperseded, type Precedence } from "./supersede.js";

/** The result for a commit. `reasons` say why manifests made no builds; `wrong` means that one of them is a mistake. */
type CommitResult = Required<Pick<HookDelivery, "sha" | "wrong" | "reasons">> & Pick<HookDelivery, "silent">;

function triggerData(change: HookChange, { provider, url }: RepositoryDoc, sha: string): Record<string, string> {
  const { repoId, ref, email, username, id, action } = change;
  const data: Record<string, string> = { provider, repo_id: repoId, url, ref, sha, email, username };
  return id === undefined || action === undefined ? data : { ...data, id, action };
}

function precedenceOf(repositoryId: number, delivery: BuiltDelivery): Precedence | undefined {
  const [subject, order] = [subjectOf(repositoryId, delivery.change), orderOf(delivery)];
  return subject === undefined || order === undefined ? undefined : { subject, order };
}

const awaitsApproval = (repository: RepositoryDoc, change: HookChange): boolean =>
  isForeign(change) && forksOf(repository) === "approve";

function requestFor(
  ctx: Context,
  repository: RepositoryDoc,
  delivery: BuiltDelivery,
  commit: CommitRead,
): Omit<CommitRequest, "text" | "namespace"> {
  const { _id: deliveryId, change } = delivery;
  const { type, comment, ref } = change;
  const fork = isForeign(change);
  const { sha, message, files } = commit;
  const data = triggerData(change, repository, sha);
  return {
    userId: repository.userId,
    tags: [tagFrom(shortRef(ref), ctx.config.tagLength)],
    trigger: () => ({ type, comment: shortComment(comment || message), data }),
    origin: {
      deliveryId,
      repositoryId: repository._id,
      url: repository.url,
      sha,
      bare: fork,
      ...precedenceOf(repository._id, delivery),
      ...commitFacts(change, commit),
    },
    awaitsApproval: awaitsApproval(repository, change),
    cause: { actor: "hook", origin: `/hooks/${repository.provider}/${repository._id}` },
    occasion: { event: type, branch: branchOf(change), tag: tagOf(change), files },
  };
}

const noLonger = "the repository's user may no longer submit to the namespace";

/** Why a manifest made no build; undefined if it did. */
type Refusal = Pick<CommitResult, "wrong" | "reasons"> | undefined;

/** Submits the build of a manifest, unless it exists. */
async function trySubmit(ctx: Context, request: CommitRequest, repositoryId: number): Promise<Refusal> {
  try {
    await submitCommit(ctx, request);
    return undefined;
  } catch (error) {
    if (duplicateKey(error)) return undefined;
    if (error instanceof Unwanted) return { wrong: error.wrong, reasons: [error.reason] };
    const { code, fields = {} } = asFault(error);
    if (code !== "invalid") throw error;
    ctx.log.warn({ repository: repositoryId, path: request.origin.path, fields }, "commit has an invalid manifest");
    return { wrong: true, reasons: Object.values(fields).flat() };
  }
}

const submitting = inTurn<number>();

/** Like `trySubmit`, but one manifest of a repository at a time, so that limits hold for all of them together. */
const tryUnapproved = (ctx: Context, request: CommitRequest, deliveryId: string, repositoryId: number) =>
  submitting(repositoryId, async () => {
    const since = new Date(ctx.now().getTime() - dayMs);
    const [ofCommit, others] = await Promise.all([
      ctx.builds.sizeOfDelivery(deliveryId),
      ctx.builds.unapprovedOf(repositoryId, since),
    ]);
    return trySubmit(ctx, { ...request, unapproved: { ofCommit, ...others } }, repositoryId);
  });

async function writableNamespace(ctx: Context, { userId, namespaceId }: RepositoryDoc) {
  const { namespaceIds } = await ctx.accounts.allow({ userId, action: "write", namespaceIds: [namespaceId] });
  if (!namespaceIds.includes(namespaceId)) return undefined;
  const { userGone, namespace } = await findOwners(ctx, { userId, namespaceId });
  return userGone ? undefined : namespace;
}

/** Returns the namespace after a wait. Throws Unwanted if the repository is gone, or its user no longer submits there. */
async function confirmed(ctx: Context, { _id, userId }: RepositoryDoc, isUnapproved: boolean): Promise<Namespace> {
  const repository = await ctx.repositories.byId(_id);
  if (repository?.userId !== userId) throw new Unwanted(earlierUsers);
  if (isUnapproved && forksOf(repository) !== "run") throw new Fault("conflict", "The repository has changed");
  const namespace = await writableNamespace(ctx, repository);
  if (!namespace) throw new Unwanted(noLonger, true);
  return namespace;
}

/** Returns why a commit makes no build, whatever its manifests say; undefined if the manifests decide. */
function reasonAgainstAll({ message, manifests }: CommitRead): Refusal {
  const mark = skipMark(message);
  if (mark) return { wrong: false, reasons: [`skipped: ${mark}`] };
  if (manifests.length === 0) return { wrong: false, reasons: ["no manifest at this commit"] };
  return manifests.length > maxManifests
    ? { wrong: true, reasons: [`more than ${maxManifests} manifests at this commit`] }
    : undefined;
}

/** Submits a build for each manifest of the commit that has none yet. Throws if it has to be retried. */
async function submitBuilds(ctx: Context, repository: RepositoryDoc, delivery: BuiltDelivery): Promise<CommitResult> {
  const { _id: id } = repository;
  const { change } = delivery;
  const namespace = await writableNamespace(ctx, repository);
  if (!namespace) {
    ctx.log.warn({ repository: id }, noLonger);
    return { sha: change.sha, wrong: true, reasons: [noLonger] };
  }
  const commit = await readCommit(ctx, repository, change);
  const { sha, manifests } = commit;
  const against = reasonAgainstAll(commit);
  if (against) {
    ctx.log.info({ repository: id, sha, ...against }, "commit makes no build");
    return { sha, silent: !against.wrong || undefined, ...against };
  }
  const found = await ctx.builds.ofDelivery(delivery._id);
  for (const group of new Set(found.flatMap(({ groupId = [] }) => groupId))) await groupMembers(ctx, group);
  const made = new Set(found.map(({ path }) => path));
  const request = requestFor(ctx, repository, delivery, commit);
  const confirm = () => confirmed(ctx, repository, isForeign(change) && !request.awaitsApproval);
  const refusals: { path: string; refusal: NonNullable<Refusal> }[] = [];
  for (const { path, text } of manifests) {
    if (made.has(path)) continue;
    const origin = { ...request.origin, path };
    const one = { ...request, text, namespace, origin, confirm };
    const refusal = await (request.awaitsApproval
      ? tryUnapproved(ctx, one, delivery._id, id)
      : trySubmit(ctx, one, id));
    if (refusal) refusals.push({ path, refusal });
  }
  const builds = await ctx.builds.ofDelivery(delivery._id);
  const precedence = precedenceOf(id, delivery);
  // An earlier delivery may be processed late, so this also runs if all builds were made before.
  if (precedence && builds.length > 0 && repository.cancelSuperseded)
    await killSuperseded(ctx, precedence, "all", spareTip(ctx, repository, delivery));
  // The commit status shows the first reason, which must be a complaint.
  const ordered = refusals.toSorted((a, b) => Number(b.refusal.wrong) - Number(a.refusal.wrong));
  const reasons = ordered.flatMap(({ path, refusal }) =>
    refusal.reasons.map((reason) => (manifests.length > 1 ? `${path}: ${reason}` : reason)),
  );
  const wrong = ordered[0]?.refusal.wrong ?? false;
  return { sha, wrong, reasons: boundedReasons(reasons), silent: (!wrong && builds.length === 0) || undefined };
}

/** Submits a commit's builds and ends older ones of a fork's request that wait. Throws if it has to be retried. */
export async function buildCommit(
  ctx: Context,
  repository: RepositoryDoc,
  delivery: BuiltDelivery,
): Promise<CommitResult> {
  const { change, userId = repository.userId } = delivery;
  if (userId !== repository.userId) return { sha: change.sha, wrong: false, silent: true, reasons: [earlierUsers] };
  if (isForeign(change) && forksOf(repository) === "ignore") {
    // A process may have died before it killed all of them.
    await killIgnored(ctx, repository._id);
    return { sha: change.sha, wrong: false, silent: true, reasons: ["skipped: the request comes from a fork"] };
  }
  const precedence = awaitsApproval(repository, change) ? precedenceOf(repository._id, delivery) : undefined;
  const withoutTip = spareTip(ctx, repository, delivery);
  if (precedence) await killSuperseded(ctx, precedence, "waiting", withoutTip);
  const result = await submitBuilds(ctx, repository, delivery);
  // Meanwhile an earlier delivery may have been processed, and the setting may have changed.
  if (precedence) await killSuperseded(ctx, precedence, "waiting", withoutTip);
  if (precedence) await killIgnored(ctx, repository._id);
  return result;
}
