import type { IncomingMessage } from "node:http";
import type { Config } from "../config.js";
import { basePathOf } from "../http/path.js";

type Place = Pick<Config, "publicUrl">;

/** A cookie of ours. `path` is below that of the public URL, and `values` matches what it may hold. */
export interface HostCookie {
  readonly name: string;
  readonly path: string;
  readonly sameSite: "Strict" | "Lax";
  readonly values: RegExp;
}

const isSecure = ({ publicUrl }: Place) => publicUrl.startsWith("https:");

/**
 * Returns a cookie's name. Behind https it begins with `__Host-`, so that no sibling domain can plant such a cookie. Browsers
 * then require the path `/`, so the name contains the path of the public URL.
 */
export function cookieName(place: Place, { name }: HostCookie): string {
  if (!isSecure(place)) return name;
  const path = Buffer.from(basePathOf(place.publicUrl)).toString("base64url");
  return `__Host-${name}${path && `_${path}`}`;
}

/** Returns the Set-Cookie header for a value. Without a value, the header deletes the cookie. */
export function setCookie(place: Place, cookie: HostCookie, value = "", forMs = 0): string {
  const [path, secure] = isSecure(place) ? ["/", "; Secure"] : [basePathOf(place.publicUrl) + cookie.path || "/", ""];
  const lasting = `Path=${path}; Max-Age=${Math.floor(forMs / 1_000)}`;
  return `${cookieName(place, cookie)}=${value}; ${lasting}; HttpOnly; SameSite=${cookie.sameSite}${secure}`;
}

const isBlank = (character: string | undefined): boolean => character === " " || character === "\t";

/** `trim` would strip more than browsers do, and so turn another name into ours. */
function trimmed(pair: string): string {
  let [start, end] = [0, pair.length];
  while (isBlank(pair[start])) start++;
  while (end > start && isBlank(pair[end - 1])) end--;
  return pair.slice(start, end);
}

/** Returns the value of a request's cookie; undefined without one that may be ours. */
export function cookieValue(place: Place, cookie: HostCookie, { headers }: IncomingMessage): string | undefined {
  const start = `${cookieName(place, cookie)}=`;
  const pairs = (headers.cookie ?? "").split(";").map(trimmed);
  const values = pairs.filter((pair) => pair.startsWith(start)).map((pair) => pair.slice(start.length));
  return values.find((value) => cookie.values.test(value));
}
