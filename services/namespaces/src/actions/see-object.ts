import type { Caller } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import type { ObjectDoc } from "../domain/object.js";
import { seeRecord } from "./records.js";

/** Returns an object the caller may view. A call without a user comes from another service: it may read any object. */
export async function seeObject(ctx: Context, id: number, caller: Caller): Promise<ObjectDoc> {
  if (caller.userId !== undefined) return seeRecord(ctx, ctx.objects, id, caller, "view");
  const doc = await ctx.objects.get(id);
  if (!doc) throw notFound();
  return doc;
}
