import { expireGrants } from "@ci/access/grants";
import { userOf } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import { clearNamespace } from "../actions/clear.js";
import { seeNamespace } from "../actions/see-namespace.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { namespaceChanged } from "../domain/events.js";
import { toNamespace } from "../domain/namespace.js";

export const deleteNamespace =
  (ctx: Context): NamespaceHandlers["deleteNamespace"] =>
  async ({ id }, { caller }) => {
    const userId = userOf(caller);
    const placed = await seeNamespace(ctx, userId, id, "own");
    const act = { at: ctx.now(), actorId: userId };
    const { parentId } = placed.doc;
    const recipients = [id, ...(parentId === undefined ? [] : [parentId])];
    const events = recipients.map((recipientId) => namespaceChanged(act, "deleted", toNamespace(placed), recipientId));
    const ended = await ctx.namespaces.end(placed.doc, act, placed.root.visibility, events);
    if (!ended) throw notFound();
    await clearNamespace(ctx, ended);
    await expireGrants(ctx.bus);
    return {};
  };
