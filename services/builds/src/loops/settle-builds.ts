import type { Context } from "../context.js";
import { settle } from "../settle.js";

/** Whoever makes a build looks at it a second time by itself; after this time it has not. */
const patienceMs = 10_000;

/** One pass: looks a second time at builds whose makers have not come to it. Answers how many. */
export async function settleBuilds(ctx: Context): Promise<number> {
  const builds = await ctx.builds.unsettled(new Date(ctx.now().getTime() - patienceMs));
  for (const build of builds) await settle(ctx, build);
  return builds.length;
}
