import type { IncomingMessage } from "node:http";
import type { Config } from "../config.js";
import { Refusal } from "../http/answer.js";
import { isReading } from "../http/negotiate.js";
import { cookieName, cookieValue, type HostCookie, setCookie } from "./host-cookie.js";

type Place = Pick<Config, "publicUrl">;

const session: HostCookie = { name: "ci_session", path: "", sameSite: "Strict", values: /^[A-Za-z0-9_-]{1,100}$/ };

export const sessionCookieName = (place: Place): string => cookieName(place, session);

/** Returns the Set-Cookie header for a session's secret. Without a secret, the header deletes the cookie. */
export const sessionCookie = (place: Place, secret?: string, forMs?: number): string =>
  setCookie(place, session, secret, forMs);

/** Sources of a request, as in `Sec-Fetch-Site`. Programs send none, and the address bar or a bookmark is `none`. */
const ownPage: readonly unknown[] = ["same-origin"];
const ownPageOrProgram = [...ownPage, undefined];
const anyButOtherSites = [...ownPageOrProgram, "none"];

/** Reports whether a request comes from our own page or one of these sources, according to the headers that browsers set. */
function isFrom(sources: readonly unknown[], { publicUrl }: Place, { headers }: IncomingMessage): boolean {
  const { origin } = headers;
  return origin === undefined ? sources.includes(headers["sec-fetch-site"]) : origin === new URL(publicUrl).origin;
}

const foreign = ({ publicUrl }: Place) =>
  new Refusal(403, `Only the page at ${publicUrl} may do this with a session: open it there, or send a token`);

/** Throws 403 for a request from another site's page. Programs pass, because they send no Origin. */
export function checkOwnPage(place: Place, request: IncomingMessage): void {
  if (!isFrom(ownPageOrProgram, place, request)) throw foreign(place);
}

/**
 * Returns the secret in a request's session cookie. Returns undefined if there is none, if the request has Authorization,
 * or if it comes from another site. Throws 403 for a change that does not come from our own page.
 */
export function cookieOf(place: Place, request: IncomingMessage): string | undefined {
  const { authorization } = request.headers;
  const secret = authorization === undefined ? cookieValue(place, session, request) : undefined;
  if (secret === undefined) return undefined;
  if (isReading(request)) return isFrom(anyButOtherSites, place, request) ? secret : undefined;
  if (!isFrom(ownPage, place, request)) throw foreign(place);
  return secret;
}
