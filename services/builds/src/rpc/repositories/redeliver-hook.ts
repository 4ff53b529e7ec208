import { findDelivery } from "../../actions/hooks/find-delivery.js";
import { startDelivery } from "../../actions/hooks/start-delivery.js";
import type { Context, RepositoryHandlers } from "../../context.js";
import { orderOf } from "../../store/hook-deliveries.js";

export const redeliverHook =
  (ctx: Context): RepositoryHandlers["redeliverHook"] =>
  async (ref, { caller }) => {
    const original = await findDelivery(ctx, caller, ref);
    const { repositoryId, number, event, change, reasons } = original;
    const repeated = { event, ...(change ? { change } : { reasons }), redeliveryOf: number, order: orderOf(original) };
    return { delivery: await startDelivery(ctx, repositoryId, repeated) };
  };
