import { asFault, invalid } from "@ci/kit/rpc/fault";
import { sessionJson, sessionSchema, signInLinkJson, signInLinkSchema } from "@ci/rest/session";
import { unauthorized } from "../auth/authenticate.js";
import { checkOwnPage, sessionCookie } from "../auth/cookie.js";
import { openSessionFor } from "../auth/open-session.js";
import type { Context } from "../context.js";
import { sendJson } from "../http/answer.js";
import type { Exchange } from "../http/exchange.js";
import { paged } from "../http/page.js";
import { action } from "../http/row.js";
import { unstored } from "../http/security.js";
import { text } from "../http/shape.js";

const relationsOf = ({ config }: Context) => ({ url: config.publicUrl });

/** Opens a session for a token or a sign-in link. Throws 401 if neither is valid. */
async function open(ctx: Context, exchange: Exchange, { token, link }: { token?: string; link?: string }) {
  if ((token === undefined) === (link === undefined)) throw invalid({ token: ["Either token or link is required"] });
  const by = link === undefined ? { $case: "token" as const, value: token! } : { $case: "link" as const, value: link };
  return openSessionFor(ctx, exchange, by).catch((error) => {
    throw asFault(error).code === "unauthenticated" ? unauthorized(true) : error;
  });
}

export const openSession = action({
  summary: "Signs in to the web page: opens a session, whose secret is in a cookie",
  changes: "session",
  signsIn: true,
  body: {
    token: text.describe("Secret of a token; the session may do what it may"),
    link: text.describe("Secret of a sign-in link, instead of a token"),
  },
  refuses: ["sessions"],
  returns: sessionSchema,
  async run(ctx, { body, exchange }) {
    checkOwnPage(ctx.config, exchange.request);
    const { session, cookie } = await open(ctx, exchange, body);
    const json = sessionJson(session, relationsOf(ctx), session.id);
    const headers = { "Set-Cookie": cookie, ...unstored };
    return ({ response }: Exchange) => sendJson(response, 201, json, headers);
  },
});

async function close(ctx: Context, id: number): Promise<void> {
  await ctx.accounts.deleteSession({ id });
  await ctx.sessions.expire();
}

export const closeSession = action({
  summary: "Signs out: ends the session of this request, if it has one",
  changes: "session",
  async run(ctx, { exchange: { session, response } }) {
    if (session?.sessionId !== undefined) await close(ctx, session.sessionId);
    response.setHeader("Set-Cookie", sessionCookie(ctx.config));
  },
});

export const listSessions = action({
  summary: "The caller's sessions of the web page, newest first",
  paged: true,
  returns: sessionSchema,
  async run(ctx, { page, exchange }) {
    const { sessions, page: info } = await ctx.accounts.listSessions({ page });
    const items = sessions.map((session) => sessionJson(session, relationsOf(ctx), exchange.session?.sessionId));
    return paged(items, info);
  },
});

export const deleteSession = action({
  summary: "Ends a session: its browser is signed out",
  changes: "session",
  run: (ctx, { params: { id } }) => close(ctx, id),
});

export const createSignInLink = action({
  summary: "Creates a link that signs in one browser within ten minutes; its secret is returned only now",
  changes: "session",
  returns: signInLinkSchema,
  secret: true,
  async run(ctx, { exchange: { session } }) {
    const { secret, expiresAt } = await ctx.accounts.createSignInLink({ sessionId: session?.sessionId });
    return signInLinkJson(secret, expiresAt, relationsOf(ctx));
  },
});
