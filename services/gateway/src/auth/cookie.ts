import type { IncomingMessage } from "node:http";
import type { Config } from "../config.js";
import { Refusal } from "../http/answer.js";
import { basePathOf } from "../http/path.js";
import { isReading } from "../web/negotiate.js";

type Place = Pick<Config, "publicUrl">;

export const sessionCookieName = "ci_session";
const pattern = new RegExp(`(?:^|;)\\s*${sessionCookieName}=([A-Za-z0-9_-]{1,100})\\s*(?:;|$)`);

/** Returns the Set-Cookie header for a session's secret. Without a secret, the header deletes the cookie. */
export function sessionCookie({ publicUrl }: Place, secret = "", forMs = 0): string {
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  const path = basePathOf(publicUrl) || "/";
  const lasting = `Path=${path}; Max-Age=${Math.floor(forMs / 1_000)}`;
  return `${sessionCookieName}=${secret}; ${lasting}; HttpOnly; SameSite=Strict${secure}`;
}

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
  const { authorization, cookie } = request.headers;
  const secret = authorization === undefined ? pattern.exec(cookie ?? "")?.[1] : undefined;
  if (secret === undefined) return undefined;
  if (isReading(request)) return isOwn(place, request, true) ? secret : undefined;
  if (!isOwn(place, request, false)) throw foreign(place);
  return secret;
}
