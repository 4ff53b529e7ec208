import { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Context } from "../context.js";

/**
 * Adds users who are missing from the line because a process died between the two writes of a submission. Returns their
 * number; undefined if builds wait, since others may be missing soon.
 */
export async function lineUp(ctx: Pick<Context, "queue" | "line" | "bus">): Promise<number | undefined> {
  if (!(await ctx.queue.anyWaiting())) return 0;
  let joined = 0;
  for (const driver of Object.values(Driver_Type)) {
    const missing = await ctx.line.missing(driver, await ctx.queue.waitingUsers(driver));
    await ctx.line.join(driver, missing);
    if (missing.length > 0) ctx.bus.nudge(`queue.${driver}`);
    joined += missing.length;
  }
  return joined || undefined;
}
