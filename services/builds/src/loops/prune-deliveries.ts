import type { Context } from "../context.js";

/** Removes hook deliveries older than HOOK_LOG that are done, in batches. Returns their number. */
export async function pruneDeliveries({ hookDeliveries, config, now }: Context): Promise<number> {
  const before = new Date(now().getTime() - config.hookLogMs);
  let removed = 0;
  for (let batch = -1; batch !== 0; removed += batch) batch = await hookDeliveries.prune(before);
  return removed;
}
