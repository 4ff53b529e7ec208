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

async function deleteCrons(ctx: Context, parent: Parent["kind"], find: () => Promise<CronDoc[]>): Promise<void> {
  for (let docs = await find(); docs.length > 0; docs = await find())
    for (const doc of docs) await deleteOrphanedCron(ctx, doc, parent);
}

async function applyNamespaceDeletion(ctx: Context, namespaceId: number): Promise<Turn> {
  await deleteCrons(ctx, "namespace", () => ctx.crons.inScope(namespaceScope(namespaceId)));
  await removeRepositories(ctx, () => ctx.repositories.idsInNamespace(namespaceId));
  await removeCachesOf(ctx, rootOwner(namespaceId));
  return (await ctx.builds.releaseFrom(namespaceId)) ? "more" : "done";
}

async function applyUserDeletion(ctx: Context, userId: number): Promise<Turn> {
  const ids = await ctx.builds.toKill(userId);
  await Promise.all(ids.map((id) => killBuild(ctx, id)));
  if (ids.length > 0) return "more";
  await deleteCrons(ctx, "user", () => ctx.crons.ofUser(userId));
  await removeRepositories(ctx, () => ctx.repositories.idsOfUser(userId));
  await removeCachesOf(ctx, userOwner(userId));
  return "done";
}

/** Removes or releases records of a deleted user or namespace, up to a limit of builds. Can be interrupted and repeated. */
export const applyDeletion = (ctx: Context, { kind, id }: Parent): Promise<Turn> =>
  kind === "namespace" ? applyNamespaceDeletion(ctx, id) : applyUserDeletion(ctx, id);
