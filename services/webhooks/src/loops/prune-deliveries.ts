import type { Context } from "../context.js";

export async function pruneDeliveries({ deliveries, config, now }: Pick<Context, "deliveries" | "config" | "now">) {
  const before = new Date(now().getTime() - config.logMs);
  let removed = 0;
  for (let batch = -1; batch !== 0; removed += batch) batch = await deliveries.prune(before);
  return removed;
}
