import { announce } from "../actions/submit.js";
import type { Context } from "../context.js";

/** Stores missing builds of groups whose submission was interrupted by a crash. Returns their number. */
export async function completeGroups(ctx: Context): Promise<number> {
  const docs = await ctx.builds.completeGroups();
  await announce(ctx, docs);
  return docs.length;
}
