import { nextIds } from "@ci/kit/mongo/ids";
import type { Context } from "../../context.js";
import type { BuildDoc } from "../../domain/build.js";
import type { Change } from "../../domain/change.js";
import { changeAndRelease } from "../drop-contents.js";
import { spillOutput } from "../output/spill-output.js";

/** Takes a build back from its runner, unless `move` returns undefined. Its artifacts are deleted afterwards. */
export async function requeue(
  ctx: Context,
  id: number,
  move: (build: BuildDoc, limits: { returns: number; tagId: number }) => Change | undefined,
): Promise<void> {
  const { tag: tagId } = await nextIds(ctx.db, "ids", { tag: 1 });
  const limits = { returns: ctx.config.maxReturns, tagId };
  const { doc, dropped } = await changeAndRelease(ctx, id, (build) => move(build, limits));
  if (doc.status === "queued") {
    await ctx.line.join(doc.driver.type, [doc.userId]);
    ctx.bus.nudge(`queue.${doc.driver.type}`);
  }
  ctx.wakeups.wake(doc);
  ctx.discard(dropped);
  await spillOutput(ctx, doc);
}
