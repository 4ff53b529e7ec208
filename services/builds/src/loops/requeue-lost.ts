import { follow } from "@ci/kit/caller";
import { about } from "@ci/kit/log";
import { nextIds } from "@ci/kit/mongo";
import { traced } from "@ci/kit/trace";
import type { Context } from "../context.js";
import type { BuildDoc } from "../domain/build.js";
import { lose } from "../domain/moves.js";

/** Takes one build back from a runner that has gone silent. */
async function requeue(ctx: Context, read: BuildDoc): Promise<void> {
  const id = read._id;
  about({ build: id });
  const { tag: tagId } = await nextIds(ctx.db, "ids", { tag: 1 });
  const blobIds = read.artifacts.flatMap(({ blobId }) => blobId ?? []);
  for (const blobId of blobIds) await ctx.artifacts.release(blobId);
  const doc = await ctx.builds.change(id, (build) => lose(build, { returns: ctx.config.maxReturns, tagId }, ctx.now()));
  // What the lost attempt had collected is used by no record any more.
  const used = new Set(doc.artifacts.map((artifact) => artifact.blobId));
  for (const blobId of blobIds) if (!used.has(blobId)) await ctx.artifacts.delete(blobId);
  if (doc.status === "queued") {
    await ctx.line.join(doc.driver.type, [doc.userId]);
    ctx.bus.nudge(`queue.${doc.driver.type}`);
  }
  ctx.news.tell(id);
}

/** One pass: takes builds back from runners that have gone silent. Answers how many. */
export async function requeueLost(ctx: Context): Promise<number> {
  const ids = await ctx.builds.lost(ctx.now());
  for (const id of ids) {
    const read = await ctx.builds.byId(id);
    const { trail } = read;
    await follow(trail, () => traced("requeue", { from: trail?.traceparent }, () => requeue(ctx, read)));
  }
  return ids.length;
}
