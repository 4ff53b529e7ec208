import { expireGrants } from "@ci/access/grants";
import { userOf } from "@ci/kit/rpc/caller";
import { validated } from "@ci/kit/rpc/validated";
import { seeNamespace } from "../actions/see-namespace.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { type Act, namespaceChanged } from "../domain/events.js";
import {
  descriptionComplaints,
  type Placed,
  toNamespace,
  visibilityComplaints,
  visibilityOf,
} from "../domain/namespace.js";

type Request = Parameters<NamespaceHandlers["updateNamespace"]>[0];

/** Returns the updated namespace. A child keeps the visibility of its root, whatever the request says. */
function updated({ doc, root }: Placed, { description, visibility }: Request): Placed {
  const now = { ...doc, description: description ?? doc.description };
  if (doc.parentId !== undefined) return { doc: now, root };
  const asRoot = { ...now, visibility: visibility || root.visibility };
  return { doc: asRoot, root: asRoot };
}

/** Updates the namespace with the event that shows it, so it retries if another request changes it between read and write. */
async function update(
  ctx: Context,
  request: Request,
  userId: number,
  act: Act,
): Promise<{ before: Placed; after: Placed }> {
  for (;;) {
    const before = await seeNamespace(ctx, userId, request.id, "own");
    const after = updated(before, request);
    const event = namespaceChanged(act, "updated", toNamespace(after), request.id);
    const { description, visibility } = after.doc;
    if (await ctx.namespaces.update(before.doc, { description, visibility }, event)) return { before, after };
  }
}

export const updateNamespace = (ctx: Context): NamespaceHandlers["updateNamespace"] =>
  validated(async (request, { caller }) => {
    const userId = userOf(caller);
    await seeNamespace(ctx, userId, request.id, "own");
    return {
      complaints: {
        description: descriptionComplaints(request.description ?? "", ctx.config.descriptionLength),
        visibility: visibilityComplaints(request.visibility),
      },
      async change() {
        const { before, after } = await update(ctx, request, userId, { at: ctx.now(), actorId: userId });
        if (visibilityOf(before.root) !== "private" && visibilityOf(after.root) === "private")
          await expireGrants(ctx.bus);
        return { namespace: toNamespace(after) };
      },
    };
  });
