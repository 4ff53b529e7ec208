import { notFound } from "@ci/kit/rpc/fault";
import type { Call } from "@ci/kit/rpc/served-call";
import type { Context } from "../context.js";
import type { ObjectDoc } from "../domain/object.js";
import { seeRecord } from "./records.js";

/** Returns an object the caller may view. The builds service, which reads for a runner, may read any. */
export async function seeObject(ctx: Context, id: number, { caller, service }: Call): Promise<ObjectDoc> {
  if (service !== "builds") return seeRecord(ctx, ctx.objects, id, caller, "view");
  const doc = await ctx.objects.get(id);
  if (!doc) throw notFound();
  return doc;
}
