import type { Context } from "../context.js";

/** Removes deliveries that have been kept long enough, some at a time; answers how many. */
export async function pruneDeliveries({ deliveries, config, now }: Pick<Context, "deliveries" | "config" | "now">) {
  const before = new Date(now().getTime() - config.logMs);
  let removed = 0;
  for (let some = -1; some !== 0; removed += some) some = await deliveries.prune(before);
  return removed;
}
