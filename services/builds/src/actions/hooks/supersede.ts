import type { Origin } from "../../domain/origin.js";
import { type Killing, killBuild } from "../kill-build.js";

/** The place of a delivery among those of its branch or request. */
export type Place = Required<Pick<Origin, "subject" | "order">>;

/** Kills unfinished builds older than a delivery or the newest build, or only those that wait. Safe in any order. */
export async function killSuperseded(ctx: Killing, { subject, order }: Place, only: "waiting" | "all"): Promise<void> {
  const newest = Math.max(order, (await ctx.builds.newestOf(subject)) ?? order);
  for (const id of await ctx.builds.supersededOf(subject, newest))
    await killBuild(ctx, id, "a newer push", ({ awaitsApproval }) => only === "waiting" && !awaitsApproval);
}
