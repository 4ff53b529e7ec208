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

/** Which of these namespaces the caller may do this in. */
export async function allowed(
  ctx: Context,
  caller: Caller,
  action: AllowRequest_Action,
  namespaceIds: readonly number[],
): Promise<readonly number[]> {
  if (caller.userId === undefined || namespaceIds.length === 0) return [];
  return (await ctx.accounts.allow({ userId: caller.userId, action, namespaceIds })).namespaceIds;
}

/** Whether the caller may do this to a record: it follows its namespace alone; without one it is for its user only. */
async function may(
  ctx: Context,
  caller: Caller,
  action: AllowRequest_Action,
  { userId, namespaceId }: { userId: number; namespaceId?: number },
): Promise<boolean> {
  if (namespaceId === undefined) return userId === caller.userId;
  return (await allowed(ctx, caller, action, [namespaceId])).includes(namespaceId);
}

/** The build a caller names, if they may do this to it; else it does not exist for them. */
export async function seeBuild(
  ctx: Context,
  caller: Caller,
  ref: BuildRef | undefined,
  action: AllowRequest_Action = "view",
): Promise<BuildDoc> {
  if (!ref) throw notFound();
  const doc = await ctx.builds.byNumber(ref.userId, ref.number);
  addLogFields({ build: doc._id });
  if (!(await may(ctx, caller, action, doc))) throw notFound();
  return doc;
}

/**
 * The build a caller names and those of its artifacts that they may see: the disk of its machine holds secrets and
 * keys, so it is for members alone.
 */
export async function seeArtifacts(
  ctx: Context,
  caller: Caller,
  ref: BuildRef | undefined,
): Promise<{ doc: BuildDoc; artifacts: readonly ArtifactDoc[] }> {
  const doc = await seeBuild(ctx, caller, ref);
  const others = doc.artifacts.filter((artifact) => !isKeptDisk(doc, artifact));
  const all = others.length === doc.artifacts.length || (await may(ctx, caller, "write", doc));
  return { doc, artifacts: all ? doc.artifacts : others };
}

/** The cron job with this id, if the caller may do this to it; else it does not exist for them. */
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

/** A namespace as it is; undefined when it is gone. */
export async function namespaceOf(
  { accounts }: Pick<Context, "accounts">,
  namespaceId: number,
): Promise<Namespace | undefined> {
  const { namespaces } = await accounts.resolve({ userIds: [], namespaceIds: [namespaceId] });
  return namespaces.find(({ id }) => id === namespaceId);
}
