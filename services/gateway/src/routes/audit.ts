import { quoted } from "@ci/kit/rpc/fault";
import { AuditEntry_Outcome } from "@ci/proto/namespaces/v1/audit";
import { auditEntryJson, auditEntrySchema } from "@ci/rest/audit";
import { z } from "zod";
import { paged } from "../http/page.js";
import { action, kinds } from "../http/row.js";
import { moment, text } from "../http/shape.js";

const aKind = z.enum(kinds, { error: ({ input }) => `invalid kind ${quoted(String(input))}` }).optional();
const anOutcome = z
  .enum(AuditEntry_Outcome, { error: ({ input }) => `invalid outcome ${quoted(String(input))}` })
  .optional();
const anId = z
  .string()
  .regex(/^\d{1,15}$/, { error: "must be an id" })
  .optional();

/** Spells a namespace as entries do. Without an owner it is the caller's. */
function spelled(namespace: string, caller: string): string {
  const [path = "", owner = caller] = namespace.split("@", 2);
  return `${path}@${owner.toLowerCase()}`;
}

export const listAuditEntries = action({
  summary: "Who tried to change what, newest first; for administrators",
  query: {
    user: text.describe("Only entries of this user, deleted ones too"),
    token: anId.describe("Only entries of the token with this id"),
    action: text.describe("Only entries of this operation, such as `submitBuild`"),
    kind: aKind.describe("Only entries about this kind of record"),
    namespace: text.describe("Only entries about records of this namespace, as `path@user`"),
    outcome: anOutcome.describe("Only entries with this outcome"),
    from: moment.describe("Only entries from this time on"),
    to: moment.describe("Only entries before this time"),
  },
  paged: true,
  returns: auditEntrySchema,
  async run(ctx, { query, page, exchange }) {
    const { user: username, token, namespace, ...others } = query;
    const { entries, page: info } = await ctx.auditLog.listEntries({
      ...others,
      username,
      tokenId: token === undefined ? undefined : Number(token),
      namespace: namespace && spelled(namespace, exchange.session!.user.username),
      page,
    });
    return paged(
      entries.map((entry) => auditEntryJson(entry, ctx.config.publicUrl)),
      info,
    );
  },
});
