import type { Caller } from "@ci/kit/caller";
import { notFound } from "@ci/kit/fault";
import type { BuildRef } from "@ci/proto/builds/v1/builds";
import type { AllowRequest_Action } from "@ci/proto/namespaces/v1/accounts";
import type { Context } from "../context.js";
import type { BuildDoc } from "../domain/build.js";

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

/** The build a caller names, if they may do this to it; else it does not exist for them. */
export async function seeBuild(
  ctx: Context,
  caller: Caller,
  ref: BuildRef | undefined,
  action: AllowRequest_Action = "view",
): Promise<BuildDoc> {
  if (!ref) throw notFound();
  const doc = await ctx.builds.byNumber(ref.userId, ref.number);
  const { namespaceId } = doc;
  const may =
    namespaceId === undefined
      ? doc.userId === caller.userId
      : (await allowed(ctx, caller, action, [namespaceId])).includes(namespaceId);
  if (!may) throw notFound();
  return doc;
}
