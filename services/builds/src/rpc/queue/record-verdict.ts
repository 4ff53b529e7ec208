import type { Context, QueueHandlers } from "../../context.js";
import { requireSecret } from "../../domain/lease-secret.js";
import { recordVerdict as record } from "../../domain/verdict.js";

export const recordVerdict =
  (ctx: Context): QueueHandlers["recordVerdict"] =>
  async ({ buildId, leaseSecret, ...verdict }) => {
    await ctx.builds.change(buildId, (build) => {
      requireSecret(build, leaseSecret);
      return record(build, verdict, ctx.now());
    });
    return {};
  };
