import type { Event } from "@ci/proto/events/v1/events";
import type { Context } from "./context.js";
import { kill } from "./domain/moves.js";

/** Builds of a namespace that is gone belong to their submitters alone; running ones go on. */
async function release(ctx: Context, namespaceId: number): Promise<void> {
  for (;;) {
    const ids = await ctx.builds.inNamespace(namespaceId);
    if (ids.length === 0) return;
    for (const id of ids)
      await ctx.builds.change(id, (doc) => ({
        set: { namespaceId: undefined, rootId: undefined, ownerId: doc.userId },
      }));
  }
}

/** Whatever a user who is gone has submitted ends. */
async function killAllOf(ctx: Context, userId: number): Promise<void> {
  for (const id of await ctx.builds.unfinishedOf(userId)) {
    const doc = await ctx.builds.change(id, (build) => kill(build, ctx.now()));
    if (doc.killRequestedAt) ctx.bus.nudge(`kill.${id}`);
    ctx.news.tell(id);
  }
}

/** What this service does when something happens elsewhere. Repeating it is harmless. */
export const onEvent =
  (ctx: Context) =>
  async ({ body }: Event): Promise<void> => {
    if (body?.$case === "namespace" && body.value.action === "deleted" && body.value.namespace)
      await release(ctx, body.value.namespace.id);
    if (body?.$case === "user" && body.value.action === "deleted" && body.value.user)
      await killAllOf(ctx, body.value.user.id);
  };
