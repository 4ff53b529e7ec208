import { lacking, readScope } from "@ci/access/scope";
import { nextId } from "@ci/kit/mongo/ids";
import { invalid, unauthorized } from "@ci/kit/rpc/fault";
import { identifier } from "../actions/identify.js";
import { tokenWithUser } from "../actions/token-with-user.js";
import type { AccountHandlers, Context } from "../context.js";
import { sessionEnded } from "../domain/events.js";
import { maxUserAgentLength, type SessionDoc, sessionExpiry, tooManySessions, toSession } from "../domain/session.js";
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

/** Returns those of a user's sessions that a token may end: its own, then those of tokens with no further permission. */
async function endable(ctx: Context, sessions: readonly SessionDoc[], token: TokenDoc): Promise<SessionDoc[]> {
  const isWider = ({ scope }: TokenDoc) => lacking(readScope(scope).granted, token.scope).length > 0;
  const wider = (await ctx.tokens.ofUser(token.userId)).filter(isWider);
  const except = new Set([token, ...wider].map(({ _id }) => _id));
  const own = sessions.filter(({ tokenId }) => tokenId === token._id);
  return [...own, ...sessions.filter(({ tokenId }) => !except.has(tokenId))];
}

/** Ends the oldest sessions of a user who has too many; the new one, with Fault `invalid`, if its token may end too few. */
async function makeRoom(ctx: Context, session: SessionDoc, token: TokenDoc, at: Date): Promise<void> {
  const { sessionsPerUser: max } = ctx.config;
  const sessions = await ctx.sessions.oldest(session.userId, max, at);
  const excess = sessions.length - max;
  if (excess <= 0) return;
  const earlier = sessions.filter(({ _id }) => _id < session._id);
  const older = await endable(ctx, earlier, token);
  // Later sign-ins make room for themselves.
  const isRefused = older.length < earlier.length + 1 - max;
  for (const ended of isRefused ? [session] : older.slice(0, excess))
    await ctx.sessions.remove(ended._id, at, sessionEnded({ at, actorId: session.userId }, ended));
  if (isRefused) throw invalid({ sessions: [tooManySessions(max)] });
}

async function checkAgain(ctx: Context, { _id }: TokenDoc): Promise<void> {
  if (await ctx.tokens.byId(_id)) return;
  await ctx.sessions.forgetToken(_id);
  throw unauthorized();
}

export const createSession = (ctx: Context): AccountHandlers["createSession"] => {
  const tokenOf = tokensBy(ctx);
  return async ({ by, userAgent, address }) => {
    const now = ctx.now();
    const { token, user } = await tokenWithUser(ctx, await tokenOf(by, now), now);
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
    await checkAgain(ctx, token);
    await makeRoom(ctx, session, token, now);
    const validForMs = session.expiresAt.getTime() - now.getTime();
    return { session: toSession(session), secret, validForMs, user: toUser(user), token: toToken(token) };
  };
};
