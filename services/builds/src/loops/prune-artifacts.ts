import type { Context } from "../context.js";
import { prune } from "../domain/artifacts.js";
import type { ArtifactDoc } from "../domain/build.js";
import { changeAndDrop } from "../drop-contents.js";

/** Of one build all artifacts are as old as it; those of later jobs have higher ids. */
const newestFirst = (artifacts: readonly ArtifactDoc[]) => artifacts.toSorted((a, b) => b.id - a.id);

/** Takes from the oldest artifacts of a user what goes beyond the limit; returns how many lost their content. */
async function pruneOf(ctx: Context, userId: number): Promise<number> {
  let sum = 0;
  let pruned = 0;
  for await (const { _id, artifacts } of ctx.builds.storedBy(userId)) {
    const beyond = new Set<number>();
    for (const { id, size } of newestFirst(artifacts)) {
      if (size === undefined) continue;
      sum += size;
      if (sum > ctx.config.artifactStorageBytes) beyond.add(id);
    }
    if (beyond.size > 0) await changeAndDrop(ctx, _id, (doc) => prune(doc, beyond, ctx.now()));
    pruned += beyond.size;
  }
  return pruned;
}

/**
 * One pass: keeps the artifacts of each user's finished builds below the limit. The newest stay while their sum is
 * within it; the first that goes beyond it and all older ones lose their content, and their records stay. Pinned builds
 * do not count. Returns how many artifacts were pruned.
 */
export async function pruneArtifacts(ctx: Context): Promise<number> {
  if (ctx.config.artifactStorageBytes === 0) return 0;
  let pruned = 0;
  for (const userId of await ctx.builds.storing()) pruned += await pruneOf(ctx, userId);
  return pruned;
}
