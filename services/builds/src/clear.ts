import type { Parent } from "@ci/kit/mongo/deletions";
import type { Context } from "./context.js";
import { type CronDoc, namespaceScope } from "./domain/cron.js";
import { kill } from "./domain/moves.js";
import { drop } from "./fire.js";
import { removeRepositories } from "./hooks/remove-repository.js";

/** A build of a deleted namespace belongs to its submitter alone; a running one goes on. */
const releaseBuild = (ctx: Pick<Context, "builds">, id: number) =>
  ctx.builds.change(id, (doc) => ({ set: { namespaceId: undefined, rootId: undefined, ownerId: doc.userId } }));

/** A build of a deleted user ends. */
async function endBuild(ctx: Pick<Context, "builds" | "bus" | "news" | "now">, id: number): Promise<void> {
  const doc = await ctx.builds.change(id, (build) => kill(build, ctx.now()));
  if (doc.killRequestedAt) ctx.bus.nudge(`kill.${id}`);
  ctx.news.tell(id);
}

/** Deletes all cron jobs that `find` finds some of. */
async function dropAll(ctx: Context, what: Parent["kind"], find: () => Promise<CronDoc[]>): Promise<void> {
  for (let docs = await find(); docs.length > 0; docs = await find())
    for (const doc of docs) await drop(ctx, doc, what);
}

/** Builds of a deleted namespace belong to their submitters alone; its cron jobs and repositories go with it. */
async function clearNamespace(ctx: Context, namespaceId: number): Promise<void> {
  await dropAll(ctx, "namespace", () => ctx.crons.inScope(namespaceScope(namespaceId)));
  await removeRepositories(ctx, () => ctx.repositories.idsInNamespace(namespaceId));
  for (;;) {
    const ids = await ctx.builds.inNamespace(namespaceId);
    if (ids.length === 0) return;
    for (const id of ids) await releaseBuild(ctx, id);
  }
}

/** Whatever a deleted user has submitted ends, and nothing more is submitted for them. */
async function clearUser(ctx: Context, userId: number): Promise<void> {
  await dropAll(ctx, "user", () => ctx.crons.ofUser(userId));
  await removeRepositories(ctx, () => ctx.repositories.idsOfUser(userId));
  for (const id of await ctx.builds.unfinishedOf(userId)) await endBuild(ctx, id);
}

/** Does what a deletion entails here. Harmless to repeat, and when interrupted. */
export const clear = (ctx: Context, { kind, id }: Parent): Promise<void> =>
  kind === "namespace" ? clearNamespace(ctx, id) : clearUser(ctx, id);
