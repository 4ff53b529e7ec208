import { namespaceScope } from "@ci/access/record-scope";
import type { Parent } from "@ci/kit/mongo/deletions";
import type { Context } from "../context.js";
import { rootOwner, userOwner } from "../domain/cache.js";
import type { CronDoc } from "../domain/cron.js";
import { deleteOrphanedCron } from "./crons/fire-cron.js";
import { removeRepositories } from "./hooks/remove-repository.js";
import { killBuild } from "./kill-build.js";
import { removeCachesOf } from "./remove-cache.js";

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

/** Each step does a batch, and returns whether there was any. Only the first that has something to do is taken. */
const applyNamespaceDeletion = async (ctx: Context, namespaceId: number): Promise<boolean> =>
  (await deleteCrons(ctx, "namespace", await ctx.crons.inScope(namespaceScope(namespaceId)))) ||
  (await removeRepositories(ctx, await ctx.repositories.idsInNamespace(namespaceId))) ||
  (await removeCachesOf(ctx, rootOwner(namespaceId))) ||
  (await ctx.builds.releaseFrom(namespaceId));

const applyUserDeletion = async (ctx: Context, userId: number): Promise<boolean> =>
  (await killSome(ctx, userId)) ||
  (await deleteCrons(ctx, "user", await ctx.crons.ofUser(userId))) ||
  (await removeRepositories(ctx, await ctx.repositories.idsOfUser(userId))) ||
  (await removeCachesOf(ctx, userOwner(userId)));

/** Removes or releases a batch of what a deleted user or namespace had. Can be interrupted and repeated. */
export async function applyDeletion(ctx: Context, { kind, id }: Parent): Promise<"more" | "done"> {
  const hadSome = await (kind === "namespace" ? applyNamespaceDeletion(ctx, id) : applyUserDeletion(ctx, id));
  return hadSome ? "more" : "done";
}
