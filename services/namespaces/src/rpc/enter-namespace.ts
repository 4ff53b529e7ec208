import { enter, findEntrance } from "../actions/enter.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { toNamespace } from "../domain/namespace.js";

export const enterNamespace =
  (ctx: Context): NamespaceHandlers["enterNamespace"] =>
  async ({ name, userId, create }, { caller }) => {
    if (create) {
      const namespace = toNamespace(await enter(ctx, { name, userId }, caller.userId));
      return { namespace, ownerId: namespace.userId, ancestorIds: namespace.ancestorIds };
    }
    const { ownerId, elements, found } = await findEntrance(ctx, name, userId);
    const placed = found[elements.length - 1];
    const ancestorIds = found.slice(0, elements.length - 1).map(({ doc }) => doc._id);
    return { namespace: placed && toNamespace(placed), ownerId, ancestorIds };
  };
