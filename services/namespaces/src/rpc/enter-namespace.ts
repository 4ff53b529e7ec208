import { enter, findEntrance } from "../actions/enter.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { toNamespace } from "../domain/namespace.js";

export const enterNamespace =
  (ctx: Context): NamespaceHandlers["enterNamespace"] =>
  async ({ name, userId, create }, { caller }) => {
    if (create) {
      const namespace = toNamespace(await enter(ctx, { name, userId }, caller.userId));
      return { namespace, ownerId: namespace.userId };
    }
    const { ownerId, elements, found } = await findEntrance(ctx, name, userId);
    const placed = found[elements.length - 1];
    return { namespace: placed && toNamespace(placed), ownerId };
  };
