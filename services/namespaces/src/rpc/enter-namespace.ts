import { enter } from "../actions/enter.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { toNamespace } from "../domain/namespace.js";

export const enterNamespace =
  (ctx: Context): NamespaceHandlers["enterNamespace"] =>
  async (request, { caller }) => {
    const entered = await enter(ctx, request, caller.userId);
    return { namespace: entered && toNamespace(entered) };
  };
