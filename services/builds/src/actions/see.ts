import { addLogFields } from "@ci/kit/process/log";
import type { Caller } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import type { BuildRef } from "@ci/proto/builds/v1/builds";
import type { AllowRequest_Action } from "@ci/proto/namespaces/v1/accounts";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../context.js";
import { isKeptDisk } from "../domain/artifacts.js";
import type { ArtifactDoc, BuildDoc } from "../domain/build.js";
import type { CronDoc } from "../domain/cron.js";
import type { ShownBuild } from "../domain/shown-build.js";

export async function allowed(
  ctx: Context,
  caller: Caller,
  action: AllowRequest_Action,
  namespaceIds: readonly number[],
): Promise<readonly number[]> {
  if (caller.userId === undefined || namespaceIds.length === 0) return [];
  return (await ctx.accounts.allow({ userId: caller.userId, action, namespaceIds })).namespaceIds;
}

interface Owned {
  readonly userId: number;
  readonly namespaceId?: number;
}

/** Reports whether the caller may act on a record. Without a namespace, only the record's user may. */
async function may(
  ctx: Context,
  caller: Caller,
  action: AllowRequest_Action,
  { userId, namespaceId }: Owned,
): Promise<boolean> {
  if (namespaceId === undefined) return userId === caller.userId;
  return (await allowed(ctx, caller, action, [namespaceId])).includes(namespaceId);
}

/** Returns the build that `load` finds. Throws `not_found` if the caller may not act on it. */
async function see<D extends Owned & Pick<BuildDoc, "_id">>(
  ctx: Context,
  caller: Caller,
  action: AllowRequest_Action,
  load: () => Promise<D | undefined>,
): Promise<D> {
  const doc = await load();
  if (!doc) throw notFound();
  const { _id, userId, namespaceId } = doc;
  addLogFields({ build: _id });
  if (await may(ctx, caller, action, doc)) return doc;
  if (namespaceId === undefined || userId !== caller.userId || (await namespaceOf(ctx, namespaceId))) throw notFound();
  // The caller's own build is in a namespace that no longer exists.
  await ctx.builds.release(_id, namespaceId);
  return see(ctx, caller, action, load);
}

/** Returns the build that a caller names, with `more` of its fields. Throws `not_found` if the caller may not act on it. */
export async function seeBuild<F extends keyof BuildDoc = never>(
  ctx: Context,
  caller: Caller,
  ref: BuildRef | undefined,
  more: readonly F[] = [],
  action: AllowRequest_Action = "view",
): Promise<ShownBuild & Pick<BuildDoc, F>> {
  return see(ctx, caller, action, async () => ref && ctx.builds.byNumber(ref.userId, ref.number, more));
}

/** Returns the data for the record of a build, if the caller may see the build. */
export async function showBuild(ctx: Context, caller: Caller, ref: BuildRef | undefined): Promise<ShownBuild> {
  return see(ctx, caller, "view", async () => ref && ctx.builds.shown(ref.userId, ref.number));
}

/** Returns the id of a build that a caller may see, without its large fields. */
export async function findBuild(ctx: Context, caller: Caller, ref: BuildRef | undefined): Promise<{ _id: number }> {
  const found = ref && (await ctx.builds.locate(ref.userId, ref.number));
  if (!found) throw notFound();
  addLogFields({ build: found._id });
  // The remembered namespace may be deleted by now. Then the build has none, and its user may see it.
  return (await may(ctx, caller, "view", found)) ? found : showBuild(ctx, caller, ref);
}

/** Throws `not_found` if the caller may not act on a record. */
export async function requireAccess(
  ctx: Context,
  caller: Caller,
  action: AllowRequest_Action,
  record: Owned,
): Promise<void> {
  if (!(await may(ctx, caller, action, record))) throw notFound();
}

export async function requireMember(ctx: Context, caller: Caller, namespaceId: number): Promise<void> {
  if (!(await allowed(ctx, caller, "write", [namespaceId])).includes(namespaceId)) throw notFound();
}

/** Returns the build and the artifacts that the caller may see. A kept disk holds secrets, so only members see it. */
export async function seeArtifacts(
  ctx: Context,
  caller: Caller,
  ref: BuildRef | undefined,
): Promise<{ doc: ShownBuild & Pick<BuildDoc, "artifacts" | "jobs" | "steps">; artifacts: readonly ArtifactDoc[] }> {
  const doc = await seeBuild(ctx, caller, ref, ["artifacts", "jobs", "steps"]);
  const withoutDisk = doc.artifacts.filter((artifact) => !isKeptDisk(doc, artifact));
  const seesAll = withoutDisk.length === doc.artifacts.length || (await may(ctx, caller, "write", doc));
  return { doc, artifacts: seesAll ? doc.artifacts : withoutDisk };
}

export async function seeCron(
  ctx: Context,
  caller: Caller,
  id: number,
  action: AllowRequest_Action = "view",
): Promise<CronDoc> {
  const doc = await ctx.crons.get(id);
  if (!doc || !(await may(ctx, caller, action, doc))) throw notFound();
  return doc;
}

export async function namespaceOf(
  { accounts }: Pick<Context, "accounts">,
  namespaceId: number,
): Promise<Namespace | undefined> {
  const { namespaces } = await accounts.resolve({ userIds: [], namespaceIds: [namespaceId] });
  return namespaces.find(({ id }) => id === namespaceId);
}
