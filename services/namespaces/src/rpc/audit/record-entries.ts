import { Fault } from "@ci/kit/rpc/fault";
import { AuditEntry_Actor } from "@ci/proto/namespaces/v1/audit";
import type { AuditHandlers, Context } from "../../context.js";
import { auditDoc } from "../../domain/audit.js";

export const recordEntries =
  (ctx: Context): AuditHandlers["recordEntries"] =>
  async ({ entries }, { service }) => {
    // Only the gateway knows what a user did: it checked the token.
    if (service !== "gateway" && entries.some(({ actor }) => actor === AuditEntry_Actor.user))
      throw new Fault("forbidden", "Only the gateway may record what a user did");
    const now = ctx.now();
    await ctx.audit.record(entries.map((entry) => auditDoc(entry, now)));
    return {};
  };
