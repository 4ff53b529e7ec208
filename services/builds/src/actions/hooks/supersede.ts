import type { Context } from "../../context.js";
import { kill } from "../../domain/moves.js";

type Needs = Pick<Context, "builds" | "bus" | "wakeups" | "now">;

/**
 * Kills the unfinished builds of a branch or request that are older than its newest build, or only those that wait for
 * approval. Safe to repeat, and in any order of the deliveries.
 */
export async function killSuperseded(ctx: Needs, subject: string, only: "waiting" | "all"): Promise<void> {
  const newest = await ctx.builds.newestOf(subject);
  if (newest === undefined) return;
  for (const id of await ctx.builds.supersededOf(subject, newest)) {
    const doc = await ctx.builds.change(id, (build) =>
      only === "waiting" && !build.awaitsApproval ? undefined : kill(build, ctx.now(), "a newer push"),
    );
    if (doc.killRequestedAt) ctx.bus.nudge(`kill.${id}`);
    ctx.wakeups.wake(id);
  }
}
