import { userOf } from "@ci/kit/rpc/caller";
import { unauthorized } from "@ci/kit/rpc/fault";
import type { AccountHandlers, Context } from "../context.js";
import { linkMs } from "../domain/session.js";
import { hashOf, newSecret } from "../domain/token.js";

export const createSignInLink =
  (ctx: Context): AccountHandlers["createSignInLink"] =>
  async ({ sessionId }, { caller }) => {
    const userId = userOf(caller);
    const token = caller.tokenId === undefined ? null : await ctx.tokens.byId(caller.tokenId);
    if (token?.userId !== userId) throw unauthorized();
    const secret = newSecret();
    const createdAt = ctx.now();
    const expiresAt = new Date(createdAt.getTime() + linkMs);
    const by = { tokenId: token._id, ...(sessionId === undefined ? {} : { sessionId }) };
    await ctx.sessions.insertLink({ _id: hashOf(secret), userId, ...by, createdAt, expiresAt });
    return { secret, expiresAt };
  };
