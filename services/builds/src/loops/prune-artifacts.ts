import { changeAndDrop } from "../actions/drop-contents.js";
import type { Context } from "../context.js";
import { prune } from "../domain/artifacts.js";
import type { ArtifactDoc } from "../domain/build.js";

/** Sorts a build's artifacts by id: later jobs have higher ids. */
const newestFirst = (artifacts: readonly ArtifactDoc[]) => artifacts.toSorted((a, b) => b.id - a.id);

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

/** Deletes the oldest contents beyond each user's storage limit. Pinned builds do not count. */
export async function pruneArtifacts(ctx: Context): Promise<number> {
  if (ctx.config.artifactStorageBytes === 0) return 0;
  let pruned = 0;
  for (const userId of await ctx.builds.storing()) pruned += await pruneOf(ctx, userId);
  return pruned;
}
