import { expireGrants } from "@ci/access/grants";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { userOf } from "@ci/kit/rpc/caller";
import { notFound } from "@ci/kit/rpc/fault";
import { endNamespaces } from "../actions/clear.js";
import { releaseFromNamespaces } from "../actions/release.js";
import { seeNamespace } from "../actions/see-namespace.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { namespaceChanged } from "../domain/events.js";
import { toNamespace } from "../domain/namespace.js";

const maxReleased = fixedLimit({
  max: 1_000,
  about: "variables, keys or objects that leave a deleted namespace before the response",
  effect: "the service moves the rest afterwards; responses already show them without the namespace",
});

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
    const ids = await endNamespaces(ctx, ended, act);
    await releaseFromNamespaces(ctx, ids, maxReleased);
    await expireGrants(ctx.bus);
    return {};
  };
