import { Fault } from "@ci/kit/rpc/fault";
import { type AuditEntry, AuditEntry_Actor } from "@ci/proto/namespaces/v1/audit";
import type { AuditHandlers, Context } from "../../context.js";
import { auditDoc } from "../../domain/audit.js";

/** The builds service stores the entries of these requests with the builds that they make. */
const makesBuilds: ReadonlySet<string> = new Set(["submitBuild", "restartBuild", "runCron"]);

export const recordEntries =
  (ctx: Context): AuditHandlers["recordEntries"] =>
  async ({ entries }, { service }) => {
    // Only the gateway knows what a user did: it checked the token.
    const isOfUser = ({ actor, action }: AuditEntry) => actor === AuditEntry_Actor.user && !makesBuilds.has(action);
    if (service !== "gateway" && entries.some(isOfUser))
      throw new Fault("forbidden", "Only the gateway may record what a user did");
    const now = ctx.now();
    const docs = entries.map((entry) => auditDoc(entry, now));
    await (service === "gateway" ? ctx.audit.record(docs) : ctx.audit.recordNew(docs));
    return {};
  };
