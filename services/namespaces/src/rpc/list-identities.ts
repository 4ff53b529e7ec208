import { userOf } from "@ci/kit/rpc/caller";
import type { AccountHandlers, Context } from "../context.js";
import { toIdentity } from "../domain/identity.js";

export const listIdentities =
  (ctx: Context): AccountHandlers["listIdentities"] =>
  async (request, { caller }) => {
    const { items, page } = await ctx.identities.list(userOf(caller), request.page?.number);
    return { identities: items.map(toIdentity), page };
  };
