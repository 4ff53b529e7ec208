import type { Context } from "../context.js";

/** Takes the content of one build's artifacts; the records stay. */
async function prune(ctx: Context, id: number): Promise<void> {
  const blobIds = (await ctx.builds.byId(id)).artifacts.flatMap(({ blobId }) => blobId ?? []);
  for (const blobId of blobIds) await ctx.artifacts.release(blobId);
  const pruned = await ctx.builds.change(id, (doc) => {
    if (doc.pinned || doc.artifactBytes === undefined) return undefined;
    const deletedAt = ctx.now();
    const artifacts = doc.artifacts.map(({ blobId, size: _s, md5: _m, sha256: _h, ...artifact }) =>
      blobId ? { ...artifact, deletedAt } : artifact,
    );
    return { set: { artifacts, artifactBytes: undefined } };
  });
  if (pruned.artifactBytes === undefined) for (const blobId of blobIds) await ctx.artifacts.delete(blobId);
}

/**
 * One pass: keeps each user's stored artifacts below the limit, newest builds first; from the first that goes
 * beyond it on, all older ones lose their content. Pinned builds do not count. Answers how many builds were pruned.
 */
export async function pruneArtifacts(ctx: Context): Promise<number> {
  if (ctx.config.artifactStorageBytes === 0) return 0;
  let pruned = 0;
  for (const userId of await ctx.builds.storing()) {
    let sum = 0;
    for await (const { _id, artifacts } of ctx.builds.storedBy(userId)) {
      for (const { size = 0 } of artifacts) sum += size;
      if (sum <= ctx.config.artifactStorageBytes) continue;
      await prune(ctx, _id);
      pruned++;
    }
  }
  return pruned;
}
