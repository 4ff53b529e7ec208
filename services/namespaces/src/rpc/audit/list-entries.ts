import { fromStored } from "@ci/kit/mongo/document";
import { pageOf } from "@ci/kit/rpc/page";
import type { AuditEntry, ListEntriesRequest } from "@ci/proto/namespaces/v1/audit";
import type { AuditHandlers, Context } from "../../context.js";

/** Returns the filter of a request; undefined if there is no such user. */
async function filterOf(ctx: Context, request: ListEntriesRequest) {
  const { username, tokenId, action, kind, namespace, outcome, from, to } = request;
  const user = username === undefined ? undefined : await ctx.users.byUsername(username);
  if (user === null) return undefined;
  const exact = { userId: user?._id, tokenId, action, kind, namespace, outcome };
  // Set a bound even without `from`, because counting without one would not use an index.
  return { ...exact, at: { $gte: from ?? new Date(0), ...(to && { $lt: to }) } };
}

export const listEntries =
  (ctx: Context): AuditHandlers["listEntries"] =>
  async (request) => {
    const filter = await filterOf(ctx, request);
    if (!filter) return { entries: [], page: pageOf([], request.page?.number).page };
    const { items, page } = await ctx.audit.list(filter, request.page?.number);
    return { entries: items.map((doc) => fromStored<Omit<AuditEntry, "ageMs">>(doc)), page };
  };
