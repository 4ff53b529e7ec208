import type { Context } from "../context.js";

/** Removes payloads whose deliveries are gone. */
export async function prunePayloads({ payloads, deliveries }: Pick<Context, "payloads" | "deliveries">) {
  let removed = 0;
  let ids = await payloads.idsAfter("");
  while (ids.length > 0) {
    const used = new Set(await deliveries.usedPayloads(ids));
    removed += await payloads.removeUnused(ids.filter((id) => !used.has(id)));
    ids = await payloads.idsAfter(ids.at(-1)!);
  }
  return removed;
}
