import type { IncomingMessage } from "node:http";
import type { Config } from "../config.js";
import { Refusal } from "../http/answer.js";
import { isReading } from "../web/negotiate.js";
import { cookieName, cookieValue, type HostCookie, setCookie } from "./host-cookie.js";

type Place = Pick<Config, "publicUrl">;

const session: HostCookie = { name: "ci_session", path: "", sameSite: "Strict", values: /^[A-Za-z0-9_-]{1,100}$/ };

export const sessionCookieName = (place: Place): string => cookieName(place, session);

/** Returns the Set-Cookie header for a session's secret. Without a secret, the header deletes the cookie. */
export const sessionCookie = (place: Place, secret?: string, forMs?: number): string =>
  setCookie(place, session, secret, forMs);

/** Reports whether a request comes from our own page, according to the headers that browsers set. */
function isOwn({ publicUrl }: Place, { headers }: IncomingMessage, otherwise: boolean): boolean {
  const { origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined) return origin === new URL(publicUrl).origin;
  return site === undefined ? otherwise : site === "same-origin";
}

const foreign = ({ publicUrl }: Place) =>
  new Refusal(403, `Only the page at ${publicUrl} may do this with a session: open it there, or send a token`);

/** Throws 403 for a request from another site's page. Programs pass, because they send no Origin. */
export function checkOwnPage(place: Place, request: IncomingMessage): void {
  if (!isOwn(place, request, true)) throw foreign(place);
}

/**
 * Returns the secret in a request's session cookie. Returns undefined if there is none, if the request has Authorization,
 * or if it comes from another site. Throws 403 for a change that does not come from our own page.
 */
export function cookieOf(place: Place, request: IncomingMessage): string | undefined {
  const { authorization } = request.headers;
  const secret = authorization === undefined ? cookieValue(place, session, request) : undefined;
  if (secret === undefined) return undefined;
  if (isReading(request)) return isOwn(place, request, true) ? secret : undefined;
  if (!isOwn(place, request, false)) throw foreign(place);
  return secret;
}
