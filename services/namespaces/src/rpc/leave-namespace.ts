import { userOf } from "@ci/kit/rpc/caller";
import { endMembership } from "../actions/end-membership.js";
import { seeNamespace } from "../actions/see-namespace.js";
import type { Context, NamespaceHandlers } from "../context.js";

export const leaveNamespace =
  (ctx: Context): NamespaceHandlers["leaveNamespace"] =>
  async ({ namespaceId }, { caller }) => {
    const userId = userOf(caller);
    const { root } = await seeNamespace(ctx, userId, namespaceId, "write");
    await endMembership(ctx, root._id, userId, userId);
    return {};
  };
