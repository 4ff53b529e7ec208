import { announce } from "../actions/submit/announce.js";
import type { Context } from "../context.js";

/** Stores missing builds of groups whose submission was interrupted by a crash. Returns their number. */
export const completeGroups = (ctx: Context): Promise<number> =>
  ctx.builds.completeGroups((docs) => announce(ctx, docs));
