import type { AuditHandlers, Context } from "../../context.js";
import { listEntries } from "./list-entries.js";
import { recordEntries } from "./record-entries.js";

export const auditHandlers = (ctx: Context): AuditHandlers => ({
  recordEntries: recordEntries(ctx),
  listEntries: listEntries(ctx),
});
