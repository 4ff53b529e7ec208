import { spillOutput } from "../../actions/output/spill-output.js";
import type { Context, QueueHandlers } from "../../context.js";
import { isFinal } from "../../domain/build.js";
import { requireSecret } from "../../domain/lease-secret.js";
import { finishJob as finish } from "../../domain/moves.js";
import { finishPrepared } from "../../domain/prepared.js";
import { requireShort } from "./append-output.js";

export const finishJob =
  (ctx: Context): QueueHandlers["finishJob"] =>
  async ({ buildId, placedObjectIds: placed, leaseSecret, prepared, ...request }) => {
    for (const { text } of [request, ...(prepared ? [prepared] : [])]) requireShort(text);
    const report = { ...request, placed };
    const doc = await ctx.builds.change(buildId, (build) => {
      requireSecret(build, leaseSecret);
      return prepared ? finishPrepared(build, prepared, report, ctx.now()) : finish(build, report, ctx.now());
    });
    ctx.wakeups.wake(doc);
    await spillOutput(ctx, doc);
    return { final: isFinal(doc.status) };
  };
