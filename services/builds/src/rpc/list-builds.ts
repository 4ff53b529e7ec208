import { notFound } from "@ci/kit/fault";
import type { Context, Handlers } from "../context.js";
import { toShortBuild } from "../domain/change.js";
import type { Selection } from "../store/builds.js";
import { allowed } from "./see.js";

type Ask = Parameters<Handlers["listBuilds"]>[0];

/** What the list is of; only members' own lists need no further look at who may see what. */
async function selection(
  ctx: Context,
  ask: Ask,
  caller: { userId?: number; requestId: string },
): Promise<Selection["of"]> {
  if (ask.namespaceId !== undefined) {
    if ((await allowed(ctx, caller, "view", [ask.namespaceId])).length === 0) throw notFound();
    return { namespaceId: ask.namespaceId };
  }
  if (ask.objectId !== undefined) return { objectId: ask.objectId };
  if (ask.cronId !== undefined) return { cronId: ask.cronId };
  const { rootIds } = await ctx.accounts.listMemberships({ userId: caller.userId! });
  return { ownerId: caller.userId!, rootIds };
}

export const listBuilds =
  (ctx: Context): Handlers["listBuilds"] =>
  async (ask, { caller }) => {
    const of = await selection(ctx, ask, caller);
    const mixed = "objectId" in of || "cronId" in of;
    const visibleTo = mixed
      ? { userId: caller.userId!, namespaceIds: await allowed(ctx, caller, "view", await ctx.builds.namespacesOf(of)) }
      : undefined;
    const { tag, search, status } = ask;
    const { items, page } = await ctx.builds.list({ of, tag, search, status, visibleTo }, ask.page?.number);
    return { builds: items.map((doc) => toShortBuild(doc, ctx.config.outputListBytes)), page };
  };
