import { pageOf } from "@ci/kit/rpc/page";
import type { AccountHandlers, Context } from "../context.js";
import { toToken } from "../domain/token.js";

export const listAllTokens =
  (ctx: Context): AccountHandlers["listAllTokens"] =>
  async ({ username, search, page: requested }) => {
    const user = username === undefined ? undefined : await ctx.users.byUsername(username);
    if (user === null) return { tokens: [], page: pageOf([], requested?.number).page };
    const { items, page } = await ctx.tokens.listAll({ userId: user?._id, search }, requested?.number);
    return { tokens: items.map(toToken), page };
  };
