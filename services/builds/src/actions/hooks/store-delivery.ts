import { randomUUID } from "node:crypto";
import { nextId } from "@ci/kit/mongo/ids";
import type { HookDelivery as DeliveryRecord } from "@ci/proto/builds/v1/repositories";
import type { Context } from "../../context.js";
import type { HookDelivery } from "../../store/hooks/hook-deliveries.js";
import { waitFor } from "../wait-for.js";
import { advanceFirst } from "./advance.js";
import { showDeliveries } from "./show-deliveries.js";

type What = Pick<HookDelivery, "event" | "change" | "reasons" | "redeliveryOf" | "order"> & { readonly userId: number };

/**
 * Stores a delivery that no provider sent. It has a new id, so it makes new builds. The returned function processes it
 * for a while, and returns its record. If it is not called, the loop processes the delivery.
 */
export async function storeDelivery(
  ctx: Context,
  repositoryId: number,
  what: What,
): Promise<() => Promise<DeliveryRecord>> {
  const delivery = {
    _id: `${repositoryId}/${randomUUID()}`,
    repositoryId,
    number: await nextId(ctx.db, "hookDeliveries"),
    ...what,
    createdAt: ctx.now(),
    failures: 0,
  };
  const held = await ctx.hookDeliveries.insert(delivery, ctx.config.hookLeaseMs);
  return async () => {
    if (held?.change) await waitFor(advanceFirst(ctx, held), ctx.config.hookAnswerMs);
    const after = await ctx.hookDeliveries.byNumber(repositoryId, delivery.number);
    const [shown] = await showDeliveries(ctx, [after ?? delivery]);
    return shown!;
  };
}
