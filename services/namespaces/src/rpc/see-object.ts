import type { Caller } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import type { ObjectDoc } from "../domain/object.js";
import { seeRecord } from "./see-record.js";

/**
 * The object with this id, if the caller may view it. Without a user behind it, a call comes from a service acting
 * by itself, such as a runner that places what a build was submitted with: it may read every object.
 */
export async function seeObject(ctx: Context, id: number, caller: Caller): Promise<ObjectDoc> {
  if (caller.userId !== undefined) return seeRecord(ctx, ctx.objects, id, caller, "view");
  const doc = await ctx.objects.get(id);
  if (!doc) throw notFound();
  return doc;
}
