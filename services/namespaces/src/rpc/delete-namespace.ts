import { expireGrants } from "@ci/access/grants";
import { notFound } from "@ci/kit/rpc/fault";
import { clearNamespace } from "../clear.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { toNamespace } from "../domain/namespace.js";
import { namespaceChanged } from "../events.js";
import { seeNamespace, userOf } from "./see.js";

export const deleteNamespace =
  (ctx: Context): NamespaceHandlers["deleteNamespace"] =>
  async ({ id }, { caller }) => {
    const userId = userOf(caller);
    const placed = await seeNamespace(ctx, userId, id, "own");
    const act = { at: ctx.now(), actorId: userId };
    const { parentId } = placed.doc;
    const told = [id, ...(parentId === undefined ? [] : [parentId])];
    const events = told.map((toldTo) => namespaceChanged(act, "deleted", toNamespace(placed), toldTo));
    const ended = await ctx.namespaces.end(placed.doc, act, placed.root.visibility, events);
    if (!ended) throw notFound();
    await clearNamespace(ctx, ended);
    await expireGrants(ctx.bus);
    return {};
  };
