import type { Context } from "../context.js";

/** Most batches in one pass, so that it ends even if entries arrive faster than it removes them. */
const maxBatches = 100;

/** Removes audit entries older than AUDIT_RETENTION. Returns how many. */
export async function pruneAudit({ audit, config, now }: Pick<Context, "audit" | "config" | "now">): Promise<number> {
  const before = new Date(now().getTime() - config.auditRetentionMs);
  let removed = 0;
  for (let batches = 0; batches < maxBatches; batches++) {
    const batch = await audit.prune(before);
    if (batch === 0) break;
    removed += batch;
  }
  return removed;
}
