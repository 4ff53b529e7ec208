import { namespaceScope } from "@ci/access/record-scope";
import type { Parent } from "@ci/kit/mongo/deletions";
import type { Context } from "../context.js";
import { rootOwner, userOwner } from "../domain/cache.js";
import type { CronDoc } from "../domain/cron.js";
import { deleteOrphanedCron } from "./fire-cron.js";
import { removeRepositories } from "./hooks/remove-repository.js";
import { killBuild } from "./kill-build.js";
import { removeCachesOf } from "./remove-cache.js";

type Turn = "more" | "done";

async function deleteCrons(ctx: Context, parent: Parent["kind"], docs: readonly CronDoc[]): Promise<boolean> {
  for (const doc of docs) await deleteOrphanedCron(ctx, doc, parent);
  return docs.length > 0;
}

/** Kills some builds, one at a time: their records may be large. Continues after a failure, and throws the last error. */
async function killSome(ctx: Context, userId: number): Promise<boolean> {
  const ids = await ctx.builds.toKill(userId);
  let failed: { error: unknown } | undefined;
  for (const id of ids) await killBuild(ctx, id).catch((error) => (failed = { error }));
  if (failed) throw failed.error;
  return ids.length > 0;
}

/** Takes the first step that has something to do. Each step does a batch, and says whether there was any. */
async function oneOf(...steps: readonly (() => Promise<boolean>)[]): Promise<Turn> {
  for (const step of steps) if (await step()) return "more";
  return "done";
}

const applyNamespaceDeletion = (ctx: Context, namespaceId: number): Promise<Turn> =>
  oneOf(
    async () => deleteCrons(ctx, "namespace", await ctx.crons.inScope(namespaceScope(namespaceId))),
    async () => removeRepositories(ctx, await ctx.repositories.idsInNamespace(namespaceId)),
    () => removeCachesOf(ctx, rootOwner(namespaceId)),
    () => ctx.builds.releaseFrom(namespaceId),
  );

const applyUserDeletion = (ctx: Context, userId: number): Promise<Turn> =>
  oneOf(
    () => killSome(ctx, userId),
    async () => deleteCrons(ctx, "user", await ctx.crons.ofUser(userId)),
    async () => removeRepositories(ctx, await ctx.repositories.idsOfUser(userId)),
    () => removeCachesOf(ctx, userOwner(userId)),
  );

/** Removes or releases a batch of what a deleted user or namespace had. Can be interrupted and repeated. */
export const applyDeletion = (ctx: Context, { kind, id }: Parent): Promise<Turn> =>
  kind === "namespace" ? applyNamespaceDeletion(ctx, id) : applyUserDeletion(ctx, id);
