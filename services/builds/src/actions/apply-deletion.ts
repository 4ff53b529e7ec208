import { namespaceScope } from "@ci/access/record-scope";
import type { Parent } from "@ci/kit/mongo/deletions";
import type { Context } from "../context.js";
import { rootOwner, userOwner } from "../domain/cache.js";
import type { CronDoc } from "../domain/cron.js";
import { deleteOrphanedCron } from "./fire-cron.js";
import { removeRepositories } from "./hooks/remove-repository.js";
import { killBuild } from "./kill-build.js";
import { removeCachesOf } from "./remove-cache.js";

/** Moves a build out of a deleted namespace to its submitter. A running build continues. */
const releaseBuild = (ctx: Pick<Context, "builds">, id: number) =>
  ctx.builds.change(id, ({ userId }) => ({
    set: { namespaceId: undefined, rootId: undefined, ancestorIds: undefined, ownerId: userId },
  }));

async function deleteCrons(ctx: Context, parent: Parent["kind"], find: () => Promise<CronDoc[]>): Promise<void> {
  for (let docs = await find(); docs.length > 0; docs = await find())
    for (const doc of docs) await deleteOrphanedCron(ctx, doc, parent);
}

async function applyNamespaceDeletion(ctx: Context, namespaceId: number): Promise<void> {
  await deleteCrons(ctx, "namespace", () => ctx.crons.inScope(namespaceScope(namespaceId)));
  await removeRepositories(ctx, () => ctx.repositories.idsInNamespace(namespaceId));
  await removeCachesOf(ctx, rootOwner(namespaceId));
  for (;;) {
    const ids = await ctx.builds.inNamespace(namespaceId);
    if (ids.length === 0) return;
    for (const id of ids) await releaseBuild(ctx, id);
  }
}

async function applyUserDeletion(ctx: Context, userId: number): Promise<void> {
  await deleteCrons(ctx, "user", () => ctx.crons.ofUser(userId));
  await removeRepositories(ctx, () => ctx.repositories.idsOfUser(userId));
  await removeCachesOf(ctx, userOwner(userId));
  for (const id of await ctx.builds.unfinishedOf(userId)) await killBuild(ctx, id);
}

/** Removes or releases all records of a deleted user or namespace. Can be interrupted and repeated. */
export const applyDeletion = (ctx: Context, { kind, id }: Parent): Promise<void> =>
  kind === "namespace" ? applyNamespaceDeletion(ctx, id) : applyUserDeletion(ctx, id);
