import type { Context, QueueHandlers } from "../../context.js";
import { isFinal } from "../../domain/build.js";
import { requireSecret } from "../../domain/lease-secret.js";
import { finishJob as finish } from "../../domain/moves.js";

export const finishJob =
  (ctx: Context): QueueHandlers["finishJob"] =>
  async ({ buildId, placedObjectIds: placed, leaseSecret, ...request }) => {
    const doc = await ctx.builds.change(buildId, (build) => {
      requireSecret(build, leaseSecret);
      return finish(build, { ...request, placed }, ctx.now());
    });
    ctx.wakeups.wake(doc);
    return { final: isFinal(doc.status) };
  };
