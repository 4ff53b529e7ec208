import { fromStored } from "@ci/kit/mongo/document";
import type { AuditEntry, ListEntriesRequest } from "@ci/proto/namespaces/v1/audit";
import type { AuditHandlers, Context } from "../../context.js";

/** Returns the filter of a request; undefined if there is no such user. */
async function filterOf(ctx: Context, request: ListEntriesRequest) {
  const { username, tokenId, action, kind, namespace, outcome, from, to } = request;
  const user = username === undefined ? undefined : await ctx.users.byUsername(username);
  if (user === null) return undefined;
  const exact = { userId: user?._id, tokenId, action, kind, namespace, outcome };
  const between = { ...(from && { $gte: from }), ...(to && { $lt: to }) };
  return { ...exact, ...(from || to ? { at: between } : {}) };
}

export const listEntries =
  (ctx: Context): AuditHandlers["listEntries"] =>
  async (request) => {
    const filter = await filterOf(ctx, request);
    if (!filter) return { entries: [], page: { hasNext: false } };
    const { items, page } = await ctx.audit.list(filter, request.page?.number);
    return { entries: items.map((doc) => fromStored<AuditEntry>(doc)), page };
  };
