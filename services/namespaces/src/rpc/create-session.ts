import { nextId } from "@ci/kit/mongo/ids";
import { Fault } from "@ci/kit/rpc/fault";
import { identifier } from "../actions/identify.js";
import type { AccountHandlers, Context } from "../context.js";
import { sessionEnded } from "../domain/events.js";
import { maxUserAgentLength, sessionExpiry, toSession } from "../domain/session.js";
import { hashOf, newSecret, type TokenDoc, toToken } from "../domain/token.js";
import { toUser } from "../domain/user.js";

type By = Parameters<AccountHandlers["createSession"]>[0]["by"];

/** Returns the token for a credential: a token, a sign-in link, which is used up, or a provider's claims. */
function tokensBy(ctx: Context) {
  const identify = identifier(ctx);
  return async (by: By, now: Date): Promise<TokenDoc | null> => {
    if (by?.$case === "token") return ctx.tokens.byHash(hashOf(by.value));
    if (by?.$case === "claims") return identify(by.value, now);
    const link = by && (await ctx.sessions.takeLink(hashOf(by.value), now));
    const madeBy = link?.sessionId !== undefined && (await ctx.sessions.byId(link.sessionId));
    return link && madeBy !== null ? ctx.tokens.byId(link.tokenId) : null;
  };
}

/** Ends the oldest sessions of a user who has too many. */
async function endOldest(ctx: Context, userId: number, at: Date): Promise<void> {
  for (const session of await ctx.sessions.beyond(userId, ctx.config.sessionsPerUser))
    await ctx.sessions.remove(session._id, at, sessionEnded({ at, actorId: userId }, session));
}

export const createSession = (ctx: Context): AccountHandlers["createSession"] => {
  const tokenOf = tokensBy(ctx);
  return async ({ by, userAgent, address }) => {
    const now = ctx.now();
    const token = await tokenOf(by, now);
    const [user] = token && (!token.expiresAt || token.expiresAt > now) ? await ctx.users.byIds([token.userId]) : [];
    if (!token || !user || user.endedAt) throw new Fault("unauthenticated", "Unauthorized");
    const secret = newSecret();
    const session = {
      _id: await nextId(ctx.db, "sessions"),
      userId: user._id,
      tokenId: token._id,
      createdAt: now,
      expiresAt: sessionExpiry(now, ctx.config.sessionLifetimeMs, token.expiresAt),
      userAgent: userAgent.slice(0, maxUserAgentLength),
      address,
      hash: hashOf(secret),
      outbox: [],
    };
    await ctx.sessions.insert(session);
    ctx.deletions.created({ userId: user._id });
    await endOldest(ctx, user._id, now);
    const validForMs = session.expiresAt.getTime() - now.getTime();
    return { session: toSession(session), secret, validForMs, user: toUser(user), token: toToken(token) };
  };
};
