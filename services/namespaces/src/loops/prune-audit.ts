import type { Context } from "../context.js";

/** Removes audit entries older than AUDIT_RETENTION. Returns how many. */
export async function pruneAudit({ audit, config, now }: Pick<Context, "audit" | "config" | "now">): Promise<number> {
  const before = new Date(now().getTime() - config.auditRetentionMs);
  let removed = 0;
  for (let batch = -1; batch !== 0; removed += batch) batch = await audit.prune(before);
  return removed;
}
