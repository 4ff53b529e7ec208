import type { AccountHandlers, Context } from "../context.js";
import { toToken } from "../domain/token.js";
import { userOf } from "./see.js";

export const listTokens =
  (ctx: Context): AccountHandlers["listTokens"] =>
  async (ask, { caller }) => {
    const { items, page } = await ctx.tokens.list(userOf(caller), ask.page?.number);
    return { tokens: items.map(toToken), page };
  };
