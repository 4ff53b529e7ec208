import type { Caller } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import { sharedReads } from "@ci/kit/turns/shared-reads";
import type { EncodedBuilds } from "@ci/proto/builds/v1/builds";
import { encodeBriefly, encodeBuilds } from "../actions/encode-builds.js";
import { inListingTurn } from "../actions/list-turns.js";
import { queuePlacesById } from "../actions/queue/queue-places.js";
import { allowed } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import type { Selection, Usage } from "../store/selection.js";

type ListRequest = Parameters<Handlers["listBuilds"]>[0];

/** Selects the builds of a usage that the caller may view, in any namespace. */
async function visible(ctx: Context, usage: Usage, caller: Caller): Promise<Selection["scope"]> {
  const namespaceIds = await allowed(ctx, caller, "view", await ctx.builds.namespacesOf(usage));
  return { ...usage, userId: caller.userId!, namespaceIds };
}

async function selection(ctx: Context, request: ListRequest, caller: Caller): Promise<Selection["scope"]> {
  if (request.namespaceId !== undefined) {
    if ((await allowed(ctx, caller, "view", [request.namespaceId])).length === 0) throw notFound();
    return { namespaceId: request.namespaceId };
  }
  if (request.objectId !== undefined) return visible(ctx, { objectId: request.objectId }, caller);
  if (request.cronId !== undefined) return visible(ctx, { cronId: request.cronId }, caller);
  if (request.groupId !== undefined) return visible(ctx, { groupId: request.groupId }, caller);
  const { rootIds } = await ctx.accounts.listMemberships({ userId: caller.userId! });
  return { ownerId: caller.userId!, rootIds };
}

async function pageOf(ctx: Context, selected: Selection, number: number | undefined): Promise<EncodedBuilds> {
  const { items, page } = await ctx.builds.list(selected, number);
  const places = await queuePlacesById(ctx, items);
  return { builds: await encodeBuilds(items, places, ctx.config.outputListBytes), page };
}

async function briefPageOf(ctx: Context, selected: Selection, number: number | undefined): Promise<EncodedBuilds> {
  const { items, page } = await ctx.builds.listBriefly(selected, number);
  return { builds: encodeBriefly(items, await queuePlacesById(ctx, items)), page };
}

/** Lists builds. A user's calls for the same page at the same moment share a read, which begins after each of them. */
export const listBuilds = (ctx: Context): Handlers["listBuilds"] => {
  const shared = sharedReads<EncodedBuilds>();
  return async (request, { caller }) => {
    const { tag, search, status, brief = false } = request;
    const selected = { scope: await selection(ctx, request, caller), tag, search, status };
    const number = request.page?.number;
    const read = brief ? briefPageOf : pageOf;
    const inTurn = () => inListingTurn(caller.userId!, () => read(ctx, selected, number));
    return shared(JSON.stringify([caller.userId, selected, number, brief]), inTurn);
  };
};
