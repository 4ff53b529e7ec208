import { tokenWithUser } from "../actions/token-with-user.js";
import type { AccountHandlers, Context } from "../context.js";
import { hashOf, toToken } from "../domain/token.js";
import { toUser } from "../domain/user.js";

async function bySession(ctx: Context, hash: string, now: Date) {
  const session = await ctx.sessions.byHash(hash);
  if (!session || session.expiresAt! <= now) return { token: null };
  await ctx.sessions.used(session, now);
  return { session, token: await ctx.tokens.byId(session.tokenId) };
}

export const authenticate =
  (ctx: Context): AccountHandlers["authenticate"] =>
  async ({ secret, ofSession }) => {
    const now = ctx.now();
    const hash = hashOf(secret);
    const { session, token: found } = ofSession
      ? await bySession(ctx, hash, now)
      : { session: undefined, token: await ctx.tokens.byHash(hash) };
    const { token, user } = await tokenWithUser(ctx, found, now);
    await ctx.tokens.used(token, now);
    const expiresAt = session ? session.expiresAt : token.expiresAt;
    const validForMs = expiresAt && expiresAt.getTime() - now.getTime();
    return { user: toUser(user), token: toToken(token), validForMs, sessionId: session?._id };
  };
