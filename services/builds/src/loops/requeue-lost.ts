import { nextIds } from "@ci/kit/mongo";
import type { Context } from "../context.js";
import { lose } from "../domain/moves.js";

/** One pass: takes builds back from runners that have gone silent. Answers how many. */
export async function requeueLost(ctx: Context): Promise<number> {
  const ids = await ctx.builds.lost(ctx.now());
  for (const id of ids) {
    const { tag: tagId } = await nextIds(ctx.db, "ids", { tag: 1 });
    const blobIds = (await ctx.builds.byId(id)).artifacts.flatMap(({ blobId }) => blobId ?? []);
    for (const blobId of blobIds) await ctx.artifacts.release(blobId);
    const doc = await ctx.builds.change(id, (build) =>
      lose(build, { returns: ctx.config.maxReturns, tagId }, ctx.now()),
    );
    // What the lost attempt had collected is used by no record any more.
    const used = new Set(doc.artifacts.map((artifact) => artifact.blobId));
    for (const blobId of blobIds) if (!used.has(blobId)) await ctx.artifacts.delete(blobId);
    if (doc.status === "queued") {
      await ctx.line.join(doc.driver.type, [doc.userId]);
      ctx.bus.nudge(`queue.${doc.driver.type}`);
    }
    ctx.news.tell(id);
  }
  return ids.length;
}
