import { type Caller, userOf } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import type { AllowRequest_Action } from "@ci/proto/namespaces/v1/accounts";
import type { Context } from "../context.js";
import type { ImageDoc } from "../domain/image.js";

export async function allowedIn(
  ctx: Context,
  userId: number,
  action: AllowRequest_Action,
  namespaceId: number,
): Promise<boolean> {
  return (await ctx.accounts.allow({ userId, action, namespaceIds: [namespaceId] })).namespaceIds.includes(namespaceId);
}

/** Moves an image of a deleted namespace to its user; false if the namespace exists. */
async function releaseDeleted(ctx: Context, doc: ImageDoc, namespaceId: number): Promise<boolean> {
  const { namespaces } = await ctx.accounts.resolve({ userIds: [], namespaceIds: [namespaceId] });
  if (namespaces.length > 0) return false;
  await ctx.images.releaseOne(doc);
  return true;
}

/** Returns the image with this id. Throws `not_found` if the caller may not act on it. */
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
  // A deleted namespace permits nothing, but this image may not be released from it yet.
  if (await releaseDeleted(ctx, doc, namespaceId)) return seeImage(ctx, caller, id, action);
  throw notFound();
}
