import { asFault, notFound } from "@ci/kit/rpc/fault";
import type { Claims } from "@ci/proto/namespaces/v1/accounts";
import { sessionOf } from "../auth/authenticate.js";
import { openSessionFor } from "../auth/open-session.js";
import { SignInFailure } from "../auth/openid.js";
import { nextPage, type Pending } from "../auth/pending.js";
import { sessionFrom } from "../auth/sessions.js";
import type { Context } from "../context.js";
import { Refusal } from "../http/answer.js";
import { type Exchange, queryOf } from "../http/exchange.js";
import { basePathOf } from "../http/path.js";
import { action } from "../http/row.js";
import { unstored } from "../http/security.js";
import { send } from "../http/send.js";
import { text } from "../http/shape.js";

/** Why a sign-in failed, by the word in the page's address. The page explains each in more detail. */
const problems = {
  unavailable: "The OpenID Connect provider cannot be reached",
  denied: "The OpenID Connect provider has refused the sign-in",
  failed: "The OpenID Connect provider's response was not accepted; the gateway's log says why",
  expired: "The sign-in is older than ten minutes, or was started in another browser: start again",
  unknown: "No user has this identity: connect it, or let OIDC_CREATE_USERS create users",
  ended: "The user of this identity was deleted",
  session: "Only a session that has not ended can connect an identity",
  scope: "Only a token with every permission of its user, and without expiry, can connect an identity",
  taken: "The identity belongs to another user",
  many: "The user has too many identities",
} as const;
type Problem = keyof typeof problems;

/** Refuses a sign-in. A browser gets the page where it began. */
function refusal(ctx: Context, problem: Problem, pending?: Partial<Pending>): Refusal {
  const base = basePathOf(ctx.config.publicUrl);
  const next = pending?.next === undefined ? "" : `&next=${encodeURIComponent(pending.next)}`;
  const page =
    pending?.sessionId === undefined
      ? `${base}/-/sign-in?problem=${problem}${next}`
      : `${base}/user/sessions?problem=${problem}`;
  return new Refusal(problem === "unavailable" ? 503 : 401, problems[problem], {}, page);
}

function openidOf({ openid }: Context): NonNullable<Context["openid"]> {
  if (!openid) throw notFound();
  return openid;
}

/** Throws what a failure of the provider means for the user. */
const failing =
  (ctx: Context, pending?: Partial<Pending>) =>
  (error: unknown): never => {
    throw error instanceof SignInFailure ? refusal(ctx, error.reason, pending) : error;
  };

async function sessionIdOf(ctx: Context, exchange: Exchange): Promise<number> {
  const session = await sessionOf(ctx, exchange).catch(() => undefined);
  if (session?.sessionId === undefined)
    throw refusal(ctx, "session", { next: `${basePathOf(ctx.config.publicUrl)}/user/sessions` });
  return session.sessionId;
}

export const beginSignIn = action({
  summary: "Redirects a browser to the OpenID Connect provider",
  query: { next: text, intent: text },
  async run(ctx, { query, exchange }) {
    const { client, pending } = openidOf(ctx);
    const sessionId = query.intent === "connect" ? await sessionIdOf(ctx, exchange) : undefined;
    const next = nextPage(ctx.config, query.next);
    const { url, checks } = await client.begin().catch(failing(ctx, { next, sessionId }));
    const headers = { Location: url, "Set-Cookie": pending.keep({ ...checks, next, sessionId }), ...unstored };
    return ({ response }: Exchange) => send(response, 303, headers);
  },
});

const problemOfSession: Readonly<Record<string, Problem>> = {
  not_found: "unknown",
  unauthenticated: "ended",
  invalid: "failed",
};
const problemOfConnection: Readonly<Record<string, Problem>> = {
  unauthenticated: "session",
  forbidden: "scope",
  precondition: "taken",
  invalid: "many",
};

/** Opens a session for what the provider has proved, or connects it to the user of a session. Returns the new cookie. */
async function settle(ctx: Context, exchange: Exchange, claims: Claims, { sessionId }: Pending) {
  if (sessionId === undefined) return (await openSessionFor(ctx, exchange, { $case: "claims", value: claims })).cookie;
  const { user, token } = await ctx.accounts.connectIdentity({ claims, sessionId });
  exchange.session = sessionFrom(user!, token!, sessionId);
  return undefined;
}

export const finishSignIn = action({
  summary: "Completes a sign-in with the OpenID Connect provider",
  changes: "session",
  signsIn: true,
  query: { code: text, state: text, iss: text, error: text, error_description: text },
  async run(ctx, { query, exchange }) {
    const { client, pending: kept } = openidOf(ctx);
    const pending = kept.of(exchange.request);
    exchange.response.appendHeader("Set-Cookie", kept.forget);
    if (!pending || pending.state !== query.state) throw refusal(ctx, "expired");
    const address = new URL(`${ctx.config.publicUrl}/-/sign-in/oidc/callback?${queryOf(exchange)}`);
    const claims = await client.finish(address, pending).catch(failing(ctx, pending));
    const problemOf = pending.sessionId === undefined ? problemOfSession : problemOfConnection;
    const cookie = await settle(ctx, exchange, claims, pending).catch((error) => {
      const problem = problemOf[asFault(error).code];
      throw problem ? refusal(ctx, problem, pending) : error;
    });
    return ({ response }: Exchange) => {
      if (cookie) response.appendHeader("Set-Cookie", cookie);
      send(response, 303, { Location: pending.next, ...unstored });
    };
  },
});
