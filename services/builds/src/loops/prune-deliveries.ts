import type { Context } from "../context.js";

/** Removes hook deliveries older than HOOK_LOG that are done, in batches. Returns their number. */
export async function pruneDeliveries({ hookDeliveries, config, now }: Context): Promise<number> {
  const before = new Date(now().getTime() - config.hookLogMs);
  const prune = () => hookDeliveries.prune(before);
  let removed = 0;
  for (let batch = await prune(); batch > 0; batch = await prune()) removed += batch;
  return removed;
}
