import { requeue } from "../../actions/queue/requeue.js";
import type { Context, QueueHandlers } from "../../context.js";
import { requireSecret } from "../../domain/lease-secret.js";
import { giveBack } from "../../domain/take-back.js";

export const returnBuild =
  (ctx: Context): QueueHandlers["returnBuild"] =>
  async ({ buildId, epoch, leaseSecret }) => {
    await requeue(ctx, buildId, (build, limits) => {
      requireSecret(build, leaseSecret);
      return giveBack(build, epoch, limits, ctx.now());
    });
    return {};
  };
