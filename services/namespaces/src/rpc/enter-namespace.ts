import type { Context, NamespaceHandlers } from "../context.js";
import { toNamespace } from "../domain/namespace.js";
import { enter } from "../enter.js";

export const enterNamespace =
  (ctx: Context): NamespaceHandlers["enterNamespace"] =>
  async (ask, { caller }) => {
    const entered = await enter(ctx, ask, caller.userId);
    return { namespace: entered && toNamespace(entered) };
  };
