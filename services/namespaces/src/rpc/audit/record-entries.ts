import type { AuditHandlers, Context } from "../../context.js";
import { auditDoc } from "../../domain/audit.js";

export const recordEntries =
  (ctx: Context): AuditHandlers["recordEntries"] =>
  async ({ entries }) => {
    const now = ctx.now();
    const docs = entries.map((entry) => auditDoc(entry, now));
    const isBegun = ({ outcome }: { outcome: string }) => outcome === "unfinished";
    await Promise.all([ctx.audit.begin(docs.filter(isBegun)), ctx.audit.end(docs.filter((doc) => !isBegun(doc)))]);
    return {};
  };
