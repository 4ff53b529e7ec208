import { rename } from "@ci/kit/process/trace";
import { asFault, notFound } from "@ci/kit/rpc/fault";
import { Refusal } from "../http/answer.js";
import type { Context } from "../context.js";
import { type Cors, preflight } from "../http/cors.js";
import { type Exchange, exchangeOf, type Handler } from "../http/exchange.js";
import { fail } from "../http/fail.js";
import type { Found, Match } from "../http/match.js";
import type { Row } from "../http/row.js";
import { send } from "../http/send.js";
import type { Session } from "./sessions.js";

const unauthorized = (tokenGiven: boolean) =>
  new Refusal(401, "Unauthorized", { "WWW-Authenticate": tokenGiven ? 'Bearer error="invalid_token"' : "Bearer" });

/** The session of the request's token. Refused with 401 when there is none. */
export async function sessionOf({ sessions }: Context, { request }: Exchange): Promise<Session> {
  const secret = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
  if (!secret) throw unauthorized(false);
  return sessions.of(secret).catch((error) => {
    throw asFault(error).code === "unauthenticated" ? unauthorized(true) : error;
  });
}

/** Refuses a token that has none of the permissions of a row; the first is named. */
function checkScope({ permission }: Row, { permissions }: Session): void {
  const asked = typeof permission === "string" ? [permission] : permission;
  if (asked[0] === "any" || asked.some((one) => permissions.has(one))) return;
  throw new Refusal(403, `Token lacks permission ${asked[0]}`);
}

/** The part of a request's target that the table knows: without query and without the path of the public URL. */
function pathBelow(basePath: string, url: string): string | undefined {
  const query = url.indexOf("?");
  const path = query < 0 ? url : url.slice(0, query);
  if (!path.startsWith(basePath)) return undefined;
  const below = path.slice(basePath.length);
  if (below === "") return "/";
  return below.startsWith("/") ? below : undefined;
}

/**
 * Finds the row for a request and lets it pass if its token may ask for that. In this order: 404 for an unknown
 * path, 405 for another method, 401, 429, 403.
 */
export function authenticate(
  ctx: Context,
  match: (method: string, path: string) => Match,
  limit: (tokenId: number) => void,
  cors: Cors,
): Handler {
  const basePath = new URL(ctx.config.publicUrl).pathname.replace(/\/$/, "");

  function find({ request: { method = "" }, url }: Exchange): Found | { allow: readonly string[] } {
    const path = pathBelow(basePath, url);
    const found = path === undefined ? undefined : match(method, path);
    if (!found) throw notFound();
    if ("row" in found || (method === "OPTIONS" && cors.size > 0)) return found;
    throw new Refusal(405, "Method Not Allowed", { Allow: found.allow.join(", ") });
  }

  async function pass(exchange: Exchange): Promise<boolean> {
    const found = find(exchange);
    if (!("row" in found)) {
      send(exchange.response, 204, preflight(found.allow));
      return false;
    }
    exchange.found = found;
    const { method, path } = found.row;
    rename(`${method} ${path}`, { "http.route": path });
    if (found.row.permission === "none") return true;
    const session = await sessionOf(ctx, exchange);
    const { user, tokenId, scope } = session;
    exchange.session = session;
    exchange.caller = { ...exchange.caller, userId: user.id, tokenId, scope };
    limit(tokenId);
    checkScope(found.row, session);
    return true;
  }

  return (_request, response, next) => {
    const exchange = exchangeOf(response);
    pass(exchange).then(
      (passed) => passed && next(),
      (error) => fail(ctx.log, exchange, error),
    );
  };
}
