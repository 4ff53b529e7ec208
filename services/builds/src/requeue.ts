import { nextIds } from "@ci/kit/mongo/mongo";
import type { Context } from "./context.js";
import type { BuildDoc } from "./domain/build.js";
import type { Change } from "./domain/change.js";

/**
 * Takes one build back from its runner: `move` says how, or that there is nothing to take back. It is in line again,
 * and what the attempt had collected is gone.
 */
export async function requeue(
  ctx: Context,
  read: BuildDoc,
  move: (build: BuildDoc, limits: { returns: number; tagId: number }) => Change | undefined,
): Promise<void> {
  const id = read._id;
  const { tag: tagId } = await nextIds(ctx.db, "ids", { tag: 1 });
  const blobIds = read.artifacts.flatMap(({ blobId }) => blobId ?? []);
  for (const blobId of blobIds) await ctx.artifacts.release(blobId);
  const doc = await ctx.builds.change(id, (build) => move(build, { returns: ctx.config.maxReturns, tagId }));
  const used = new Set(doc.artifacts.map((artifact) => artifact.blobId));
  for (const blobId of blobIds) if (!used.has(blobId)) await ctx.artifacts.delete(blobId);
  if (doc.status === "queued") {
    await ctx.line.join(doc.driver.type, [doc.userId]);
    ctx.bus.nudge(`queue.${doc.driver.type}`);
  }
  ctx.news.tell(id);
}
