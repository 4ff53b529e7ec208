import { networkOf } from "@ci/kit/net/guard";
import { rename } from "@ci/kit/process/trace";
import { asFault, notFound } from "@ci/kit/rpc/fault";
import type { Refusals } from "../audit/audited.js";
import type { Context } from "../context.js";
import { clientAddress } from "../http/address.js";
import { Refusal } from "../http/answer.js";
import { type Cors, preflight } from "../http/cors.js";
import type { Exchange, Handler } from "../http/exchange.js";
import { fail } from "../http/fail.js";
import type { Found, Match } from "../http/match.js";
import { hasPage, isReading, varyByAccept } from "../http/negotiate.js";
import { basePathOf, pathBelow } from "../http/path.js";
import { exchangeOf, type Routed } from "../http/routed.js";
import type { Row } from "../http/row.js";
import { send } from "../http/send.js";
import type { RateLimit } from "../limits/rate-limit.js";
import { cookieOf } from "./cookie.js";
import { type Session, trustMs } from "./sessions.js";

export const unauthorized = (tokenGiven: boolean) =>
  new Refusal(401, "Unauthorized", { "WWW-Authenticate": tokenGiven ? 'Bearer error="invalid_token"' : "Bearer" });

/** Returns the session of the request's token or else cookie, or throws 401. `limit` counts invalid ones. */
export async function sessionOf(
  { sessions, config }: Pick<Context, "sessions" | "config">,
  { request }: Exchange,
  limit: (cost: 0 | 1) => void = () => {},
): Promise<Session> {
  const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  const secret = token ?? cookieOf(config, request);
  if (!secret) throw unauthorized(false);
  return sessions
    .of(secret, token === undefined, () => limit(0))
    .catch((error) => {
      if (asFault(error).code !== "unauthenticated") throw error;
      limit(1);
      throw unauthorized(true);
    });
}

/** Throws 401 if the token of a request has ended while it waited for its turn or its body arrived. */
export async function confirmToken(ctx: Pick<Context, "sessions" | "config">, exchange: Exchange): Promise<void> {
  const { authenticatedMs = Number.POSITIVE_INFINITY } = exchange;
  if (performance.now() - authenticatedMs < trustMs) return;
  await sessionOf(ctx, exchange);
  exchange.authenticatedMs = performance.now();
}

/** Throws 403 if the token has none of the row's permissions. The message names what the first one lacks. */
function checkScope({ permission }: Row, { permissions }: Session): void {
  const accepted = typeof permission === "string" ? [permission] : permission;
  const lacking = accepted.map((needed) => needed.split(" ").find((permission) => !permissions.has(permission)));
  if (accepted[0] === "any" || lacking.includes(undefined)) return;
  throw new Refusal(403, `Token lacks permission ${lacking[0]}`);
}

/**
 * Finds the row for a request and passes the request on if its token permits it. Checks in this order: 404 for an
 * unknown path, 405 for another method, 401, 429, 403.
 */
export function authenticate(
  ctx: Context,
  match: (method: string, path: string) => Match,
  limits: { readonly token: RateLimit; readonly address: RateLimit; readonly invalid: RateLimit },
  cors: Cors,
  record: Refusals,
): Handler {
  const basePath = basePathOf(ctx.config.publicUrl);

  function find({ request, response, url }: Exchange): Found | { allow: readonly string[] } {
    const { method = "" } = request;
    const path = pathBelow(basePath, url);
    const found = path === undefined ? undefined : match(method, path);
    if (isReading(request) && (!found || !("row" in found) || hasPage(found.row))) varyByAccept(response);
    if (!found) throw notFound();
    if ("row" in found || (method === "OPTIONS" && cors.size > 0)) return found;
    throw new Refusal(405, "Method Not Allowed", { Allow: found.allow.join(", ") });
  }

  async function pass(exchange: Routed): Promise<boolean> {
    const found = find(exchange);
    if (!("row" in found)) {
      send(exchange.response, 204, preflight(found.allow));
      return false;
    }
    exchange.found = found;
    const { method, path } = found.row;
    rename(`${method} ${path}`, { "http.route": path });
    const { request, response } = exchange;
    const network = () => networkOf(clientAddress(request, ctx.config.trustedProxies));
    if (found.row.permission === "none") {
      if (!found.row.action.unlimited) limits.address(network(), response);
      return true;
    }
    const session = await sessionOf(ctx, exchange, (cost) => limits.invalid(network(), response, cost));
    const { user, tokenId, scope } = session;
    exchange.session = session;
    exchange.authenticatedMs = performance.now();
    exchange.caller = { ...exchange.caller, userId: user.id, tokenId, scope };
    limits.token(tokenId, response);
    checkScope(found.row, session);
    return true;
  }

  return (_request, response, next) => {
    const exchange = exchangeOf(response);
    pass(exchange).then(
      (passed) => passed && next(),
      (error) =>
        record(exchange, error).then(
          () => fail(ctx.log, exchange, error),
          (unrecorded) => fail(ctx.log, exchange, unrecorded),
        ),
    );
  };
}
