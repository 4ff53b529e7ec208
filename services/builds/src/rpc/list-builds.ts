import type { Caller } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import type { Context, Handlers } from "../context.js";
import { toShortBuild } from "../domain/change.js";
import { queuePlaces } from "../places.js";
import type { Selection, Uses } from "../store/selection.js";
import { allowed } from "./see.js";

type Ask = Parameters<Handlers["listBuilds"]>[0];

/** What may lie in anybody's namespaces: those of them that the caller may view, and the caller's own without one. */
async function visible(ctx: Context, of: Uses, caller: Caller): Promise<Selection["of"]> {
  const namespaceIds = await allowed(ctx, caller, "view", await ctx.builds.namespacesOf(of));
  return { ...of, userId: caller.userId!, namespaceIds };
}

/** What the list is of. */
async function selection(ctx: Context, ask: Ask, caller: Caller): Promise<Selection["of"]> {
  if (ask.namespaceId !== undefined) {
    if ((await allowed(ctx, caller, "view", [ask.namespaceId])).length === 0) throw notFound();
    return { namespaceId: ask.namespaceId };
  }
  if (ask.objectId !== undefined) return visible(ctx, { objectId: ask.objectId }, caller);
  if (ask.cronId !== undefined) return visible(ctx, { cronId: ask.cronId }, caller);
  const { rootIds } = await ctx.accounts.listMemberships({ userId: caller.userId! });
  return { ownerId: caller.userId!, rootIds };
}

export const listBuilds =
  (ctx: Context): Handlers["listBuilds"] =>
  async (ask, { caller }) => {
    const of = await selection(ctx, ask, caller);
    const { tag, search, status } = ask;
    const { items, page } = await ctx.builds.list({ of, tag, search, status }, ask.page?.number);
    const places = await queuePlaces(ctx, items);
    const { outputListBytes } = ctx.config;
    return { builds: items.map((doc) => toShortBuild(doc, places.get(doc._id), outputListBytes)), page };
  };
