import { randomUUID } from "node:crypto";
import { nextId } from "@ci/kit/mongo/ids";
import { advance } from "../../actions/hooks/advance.js";
import { findDelivery } from "../../actions/hooks/find-delivery.js";
import { showDeliveries } from "../../actions/hooks/show-deliveries.js";
import { waitFor } from "../../actions/hooks/wait-for.js";
import type { Context, RepositoryHandlers } from "../../context.js";
import type { HookDelivery } from "../../store/hook-deliveries.js";

/** Returns a delivery of the same event with an id of its own, so that it makes builds of its own. */
async function repeated(ctx: Context, { repositoryId, number, event, change, reasons }: HookDelivery) {
  return {
    _id: `${repositoryId}/${randomUUID()}`,
    repositoryId,
    number: await nextId(ctx.db, "hookDeliveries"),
    event,
    ...(change ? { change } : { reasons }),
    redeliveryOf: number,
    createdAt: ctx.now(),
    failures: 0,
  };
}

export const redeliverHook =
  (ctx: Context): RepositoryHandlers["redeliverHook"] =>
  async (ref, { caller }) => {
    const delivery = await repeated(ctx, await findDelivery(ctx, caller, ref));
    const held = await ctx.hookDeliveries.insert(delivery, ctx.config.hookLeaseMs);
    if (held?.change) await waitFor(advance(ctx, held), ctx.config.hookAnswerMs);
    const after = await ctx.hookDeliveries.byNumber(ref.repositoryId, delivery.number);
    const [shown] = await showDeliveries(ctx, [after ?? delivery]);
    return { delivery: shown };
  };
