import { findDelivery } from "../../actions/hooks/find-delivery.js";
import { storeDelivery } from "../../actions/hooks/store-delivery.js";
import type { Context, RepositoryHandlers } from "../../context.js";
import { type HookDelivery, orderOf } from "../../store/hooks/hook-deliveries.js";

const nobody = 0;

/** Returns the user whose delivery it was. The builds of an older delivery tell; without any, nobody may repeat it. */
async function userOfDelivery({ builds }: Context, { _id, userId }: HookDelivery): Promise<number> {
  return userId ?? (await builds.ofDelivery(_id))[0]?.userId ?? nobody;
}

export const redeliverHook =
  (ctx: Context): RepositoryHandlers["redeliverHook"] =>
  async (ref, { caller }) => {
    const original = await findDelivery(ctx, caller, ref);
    const { repositoryId, number, event, change, reasons } = original;
    const userId = await userOfDelivery(ctx, original);
    const what = { userId, event, ...(change ? { change } : { reasons }) };
    const repeated = { ...what, redeliveryOf: number, order: orderOf(original) };
    const advance = await storeDelivery(ctx, repositoryId, repeated);
    return { delivery: await advance() };
  };
