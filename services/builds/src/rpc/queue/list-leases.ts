import type { Context, QueueHandlers } from "../../context.js";

export const listLeases =
  (ctx: Context): QueueHandlers["listLeases"] =>
  async ({ runnerId }) => ({
    leases: await ctx.builds.leasedTo(runnerId),
    installation: ctx.installation,
  });
