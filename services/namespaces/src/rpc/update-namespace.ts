import { expireGrants } from "@ci/access/grants";
import { refuse } from "@ci/kit/rpc/refuse";
import type { Context, NamespaceHandlers } from "../context.js";
import {
  descriptionComplaints,
  type Placed,
  toNamespace,
  visibilityComplaints,
  visibilityOf,
} from "../domain/namespace.js";
import { type Act, namespaceChanged } from "../events.js";
import { seeNamespace, userOf } from "./see.js";

type Ask = Parameters<NamespaceHandlers["updateNamespace"]>[0];

/** As the namespace will be. The visibility of a child is its root's, whatever the request says. */
function changed({ doc, root }: Placed, { description, visibility }: Ask): Placed {
  const now = { ...doc, description: description ?? doc.description };
  if (doc.parentId !== undefined) return { doc: now, root };
  const asRoot = { ...now, visibility: visibility || root.visibility };
  return { doc: asRoot, root: asRoot };
}

/** Writes the change with the event that shows it, so nobody else's change may lie between reading and writing. */
async function change(ctx: Context, ask: Ask, userId: number, act: Act): Promise<{ was: Placed; will: Placed }> {
  for (;;) {
    const was = await seeNamespace(ctx, userId, ask.id, "own");
    const will = changed(was, ask);
    const event = namespaceChanged(act, "updated", toNamespace(will), ask.id);
    const { description, visibility } = will.doc;
    if (await ctx.namespaces.update(was.doc, { description, visibility }, event)) return { was, will };
  }
}

export const updateNamespace =
  (ctx: Context): NamespaceHandlers["updateNamespace"] =>
  async (ask, { caller }) => {
    const userId = userOf(caller);
    await seeNamespace(ctx, userId, ask.id, "own");
    refuse({
      description: descriptionComplaints(ask.description ?? ""),
      visibility: visibilityComplaints(ask.visibility),
    });
    const { was, will } = await change(ctx, ask, userId, { at: ctx.now(), actorId: userId });
    if (visibilityOf(was.root) !== "private" && visibilityOf(will.root) === "private") await expireGrants(ctx.bus);
    return { namespace: toNamespace(will) };
  };
