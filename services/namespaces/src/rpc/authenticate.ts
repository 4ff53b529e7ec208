import { Fault } from "@ci/kit/rpc/fault";
import type { AccountHandlers, Context } from "../context.js";
import { hashOf, toToken } from "../domain/token.js";
import { toUser } from "../domain/user.js";

export const authenticate =
  (ctx: Context): AccountHandlers["authenticate"] =>
  async ({ secret }) => {
    const now = ctx.now();
    const token = await ctx.tokens.byHash(hashOf(secret));
    const [user] = token && (!token.expiresAt || token.expiresAt > now) ? await ctx.users.byIds([token.userId]) : [];
    if (!token || !user || user.endedAt) throw new Fault("unauthenticated", "Unauthorized");
    await ctx.tokens.used(token, now);
    const validForMs = token.expiresAt && token.expiresAt.getTime() - now.getTime();
    return { user: toUser(user), token: toToken(token), validForMs };
  };
