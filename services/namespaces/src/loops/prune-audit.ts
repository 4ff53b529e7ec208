import type { Context } from "../context.js";

/** Removes audit entries older than AUDIT_RETENTION. Returns how many. */
export async function pruneAudit({ audit, config, now }: Pick<Context, "audit" | "config" | "now">): Promise<number> {
  const before = new Date(now().getTime() - config.auditRetentionMs);
  const prune = () => audit.prune(before);
  let removed = 0;
  for (let batch = await prune(); batch > 0; batch = await prune()) removed += batch;
  return removed;
}
