import { findDelivery } from "../../actions/hooks/find-delivery.js";
import { startDelivery } from "../../actions/hooks/start-delivery.js";
import type { Context, RepositoryHandlers } from "../../context.js";

export const redeliverHook =
  (ctx: Context): RepositoryHandlers["redeliverHook"] =>
  async (ref, { caller }) => {
    const { repositoryId, number, event, change, reasons } = await findDelivery(ctx, caller, ref);
    const repeated = { event, ...(change ? { change } : { reasons }), redeliveryOf: number };
    return { delivery: await startDelivery(ctx, repositoryId, repeated) };
  };
