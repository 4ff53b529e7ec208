import type { Caller } from "@ci/kit/rpc/caller";
import { Fault, notFound } from "@ci/kit/rpc/fault";
import type { AllowRequest_Action } from "@ci/proto/namespaces/v1/accounts";
import type { Context } from "../context.js";
import type { ImageDoc } from "../domain/image.js";

/** The user on whose behalf a call is made. Fault `unauthenticated` if there is none. */
export function userOf(caller: Caller): number {
  if (caller.userId === undefined) throw new Fault("unauthenticated", "Unauthorized");
  return caller.userId;
}

/** Whether a user may do this in a namespace. */
export async function allowedIn(
  ctx: Context,
  userId: number,
  action: AllowRequest_Action,
  namespaceId: number,
): Promise<boolean> {
  return (await ctx.accounts.allow({ userId, action, namespaceIds: [namespaceId] })).namespaceIds.includes(namespaceId);
}

/** Gives the images of a namespace that is gone to the users they belong to; false if it is still there. */
async function releaseGone(ctx: Context, namespaceId: number): Promise<boolean> {
  const { namespaces } = await ctx.accounts.resolve({ userIds: [], namespaceIds: [namespaceId] });
  if (namespaces.length > 0) return false;
  await ctx.images.release(namespaceId);
  return true;
}

/** The image with this id, if the caller may do this to it; else it does not exist for them. */
export async function seeImage(
  ctx: Context,
  caller: Caller,
  id: number,
  action: AllowRequest_Action = "view",
): Promise<ImageDoc> {
  const userId = userOf(caller);
  const doc = await ctx.images.get(id);
  if (!doc) throw notFound();
  const { namespaceId } = doc;
  if (namespaceId === undefined) {
    if (doc.userId !== userId) throw notFound();
    return doc;
  }
  if (await allowedIn(ctx, userId, action, namespaceId)) return doc;
  // Nobody may do anything in a namespace that is gone: then this image is still in line to be given to its user.
  if (await releaseGone(ctx, namespaceId)) return seeImage(ctx, caller, id, action);
  throw notFound();
}
