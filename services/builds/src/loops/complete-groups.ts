import { announce } from "../actions/submit.js";
import type { Context } from "../context.js";

/** Stores the builds that groups lack because a process died in the middle of their submission. Returns their number. */
export async function completeGroups(ctx: Context): Promise<number> {
  const docs = await ctx.builds.completeGroups();
  await announce(ctx, docs);
  return docs.length;
}
