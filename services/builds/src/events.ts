import type { Event } from "@ci/proto/events/v1/events";
import type { Context } from "./context.js";
import { type CronDoc, namespaceScope } from "./domain/cron.js";
import { drop } from "./fire.js";
import { removeRepositories } from "./hooks/remove-repository.js";
import { endBuild, releaseBuild } from "./settle.js";

/** Deletes all cron jobs that `find` finds some of. */
async function dropAll(ctx: Context, what: "user" | "namespace", find: () => Promise<CronDoc[]>): Promise<void> {
  for (let docs = await find(); docs.length > 0; docs = await find())
    for (const doc of docs) await drop(ctx, doc, what);
}

/** Builds of a namespace that is gone belong to their submitters alone; its cron jobs and repositories go with it. */
async function clearNamespace(ctx: Context, namespaceId: number): Promise<void> {
  await dropAll(ctx, "namespace", () => ctx.crons.inScope(namespaceScope(namespaceId)));
  await removeRepositories(ctx, () => ctx.repositories.idsInNamespace(namespaceId));
  for (;;) {
    const ids = await ctx.builds.inNamespace(namespaceId);
    if (ids.length === 0) return;
    for (const id of ids) await releaseBuild(ctx, id);
  }
}

/** Whatever a user who is gone has submitted ends, and nothing more is submitted for them. */
async function clearUser(ctx: Context, userId: number): Promise<void> {
  await dropAll(ctx, "user", () => ctx.crons.ofUser(userId));
  await removeRepositories(ctx, () => ctx.repositories.idsOfUser(userId));
  for (const id of await ctx.builds.unfinishedOf(userId)) await endBuild(ctx, id);
}

/** What this service does when something happens elsewhere. Repeating it is harmless. */
export const onEvent =
  (ctx: Context) =>
  async ({ body }: Event): Promise<void> => {
    if (body?.$case === "namespace" && body.value.action === "deleted" && body.value.namespace)
      await clearNamespace(ctx, body.value.namespace.id);
    if (body?.$case === "user" && body.value.action === "deleted" && body.value.user)
      await clearUser(ctx, body.value.user.id);
  };
