import type { Context } from "../context.js";
import type { BuildDoc } from "../domain/build.js";
import { kill } from "../domain/moves.js";

export type Killing = Pick<Context, "builds" | "bus" | "wakeups" | "now">;

/** Kills a build unless `spares` returns true for it, and tells its runner and its followers. `by` is the reason. */
export async function killBuild(
  ctx: Killing,
  id: number,
  by?: string,
  spares: (build: BuildDoc) => boolean = () => false,
): Promise<void> {
  const doc = await ctx.builds.change(id, (build) => (spares(build) ? undefined : kill(build, ctx.now(), by)));
  if (doc.killRequestedAt) ctx.bus.nudge(`kill.${id}`);
  ctx.wakeups.wake(doc);
}
