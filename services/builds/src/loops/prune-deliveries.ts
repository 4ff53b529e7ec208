import type { Context } from "../context.js";

/** Removes deliveries of providers that have been kept long enough, some at a time; answers how many. */
export async function pruneDeliveries({ hookDeliveries, config, now }: Context): Promise<number> {
  const before = new Date(now().getTime() - config.hookLogMs);
  let removed = 0;
  for (let some = -1; some !== 0; removed += some) some = await hookDeliveries.prune(before);
  return removed;
}
