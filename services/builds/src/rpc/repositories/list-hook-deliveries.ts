import { findRepository } from "../../actions/hooks/find-delivery.js";
import { showDeliveries } from "../../actions/hooks/show-deliveries.js";
import type { Context, RepositoryHandlers } from "../../context.js";

export const listHookDeliveries =
  (ctx: Context): RepositoryHandlers["listHookDeliveries"] =>
  async ({ namespaceId, repositoryId, page: requested }, { caller }) => {
    await findRepository(ctx, caller, namespaceId, repositoryId);
    const { items, page } = await ctx.hookDeliveries.list(repositoryId, requested?.number);
    return { deliveries: await showDeliveries(ctx, items), page };
  };
