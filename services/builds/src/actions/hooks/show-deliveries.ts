import type { HookDelivery as DeliveryRecord, HookDelivery_Status } from "@ci/proto/builds/v1/repositories";
import type { Context } from "../../context.js";
import type { HookDelivery } from "../../store/hooks/hook-deliveries.js";

function statusOf({ change, sha, wrong }: HookDelivery, builds: readonly unknown[]): HookDelivery_Status {
  if (!change) return "skipped";
  if (sha === undefined) return "pending";
  if (wrong) return "failed";
  return builds.length > 0 ? "built" : "skipped";
}

/** Returns the records of deliveries, with the builds that they made. */
export async function showDeliveries(
  ctx: Pick<Context, "builds">,
  deliveries: readonly HookDelivery[],
): Promise<DeliveryRecord[]> {
  const all = await ctx.builds.ofDeliveries(deliveries.map(({ _id }) => _id));
  return deliveries.map((delivery) => {
    const { _id, number, repositoryId, event, change, sha, reasons, createdAt, redeliveryOf } = delivery;
    const builds = all.filter(({ deliveryId }) => deliveryId === _id);
    return {
      id: number!,
      repositoryId,
      deliveryId: _id.slice(_id.indexOf("/") + 1),
      event: event ?? "",
      ref: change?.ref,
      sha: sha ?? change?.sha,
      status: statusOf(delivery, builds),
      reasons: [...(reasons ?? [])],
      builds: builds.map(({ userId, number: nth }) => ({ userId, number: nth })),
      createdAt,
      redeliveryOf,
    };
  });
}
