import { type Killing, killBuild } from "../kill-build.js";

/**
 * Kills the unfinished builds of a branch or request that are older than its newest build, or only those that wait for
 * approval. Safe to repeat, and in any order of the deliveries.
 */
export async function killSuperseded(ctx: Killing, subject: string, only: "waiting" | "all"): Promise<void> {
  const newest = await ctx.builds.newestOf(subject);
  if (newest === undefined) return;
  for (const id of await ctx.builds.supersededOf(subject, newest))
    await killBuild(ctx, id, "a newer push", ({ awaitsApproval }) => only === "waiting" && !awaitsApproval);
}
