import { findDelivery } from "../../actions/hooks/find-delivery.js";
import { showDeliveries } from "../../actions/hooks/show-deliveries.js";
import type { Context, RepositoryHandlers } from "../../context.js";

export const getHookDelivery =
  (ctx: Context): RepositoryHandlers["getHookDelivery"] =>
  async (ref, { caller }) => {
    const [delivery] = await showDeliveries(ctx, [await findDelivery(ctx, caller, ref)]);
    return { delivery };
  };
