import { userOf } from "@ci/kit/rpc/caller";
import type { AccountHandlers, Context } from "../context.js";
import { toToken } from "../domain/token.js";

export const listTokens =
  (ctx: Context): AccountHandlers["listTokens"] =>
  async (request, { caller }) => {
    const { items, page } = await ctx.tokens.list(userOf(caller), request.page?.number);
    return { tokens: items.map(toToken), page };
  };
