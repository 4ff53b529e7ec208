import { createSecretKey, scryptSync } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { decrypt, encrypt } from "@ci/kit/security/secrets";
import type { Config } from "../config.js";
import { basePathOf } from "../http/path.js";
import { cookieValue, type HostCookie, setCookie } from "./host-cookie.js";
import type { Checks } from "./openid.js";
import type { OpenidConfig } from "./openid-config.js";

const pendingMs = fixedLimit({
  max: 10 * 60_000,
  unit: "ms",
  about: "time to sign in at the OpenID Connect provider",
  effect: "the user has to start again",
});
const signIn: HostCookie = {
  name: "ci_sign_in",
  path: "/-/sign-in/oidc",
  sameSite: "Lax",
  values: /^[A-Za-z0-9:+/=]{1,8000}$/,
};
const owner = { kind: "sign-in", id: signIn.name };

/** A sign-in that has begun in a browser. */
export interface Pending extends Checks {
  /** The path of the page that opens afterwards. */
  readonly next: string;
  /** Session of the user who connects an identity; absent for a sign-in. */
  readonly sessionId?: number | undefined;
}

export interface PendingSignIns {
  /** Returns a Set-Cookie header that keeps a sign-in in its browser. */
  keep(pending: Pending): string;
  /** Returns the browser's pending sign-in; undefined if it has none, or if its cookie is expired or forged. */
  of(request: IncomingMessage): Pending | undefined;
  /** The Set-Cookie header that makes a browser forget its sign-in. */
  readonly forget: string;
}

/** Keeps sign-ins in encrypted cookies. All replicas derive the same key, so any of them can finish a sign-in. */
export function pendingSignIns(
  place: Pick<Config, "publicUrl">,
  openid: OpenidConfig,
  now: () => number = Date.now,
): PendingSignIns {
  // Slow on purpose: a cookie must not help to guess a secret that is too short.
  const key = createSecretKey(scryptSync(openid.clientSecret, `${openid.issuer} ${openid.clientId}`, 32));
  const keyring = { first: "1", keys: new Map([["1", key]]) };
  return {
    keep(pending) {
      const value = encrypt(keyring, JSON.stringify({ ...pending, until: now() + pendingMs }), owner);
      return setCookie(place, signIn, value, pendingMs);
    },
    of(request) {
      const value = cookieValue(place, signIn, request);
      if (value === undefined) return undefined;
      try {
        const { until, ...pending } = JSON.parse(decrypt(keyring, value, owner));
        return until > now() ? pending : undefined;
      } catch {
        return undefined;
      }
    },
    forget: setCookie(place, signIn),
  };
}

const maxNextLength = fixedLimit({
  max: 2_000,
  about: "characters of the URL that opens after a sign-in",
  effect: "the list of builds opens",
});

/** Returns the page at the path `next` of this site; the list of builds if `next` is no such path. */
export function nextPage({ publicUrl }: Pick<Config, "publicUrl">, next = ""): string {
  const base = basePathOf(publicUrl);
  const otherwise = `${base}/builds`;
  if (!next.startsWith("/") || next.length > maxNextLength || !URL.canParse(next, publicUrl)) return otherwise;
  const { origin, pathname, search, hash } = new URL(next, publicUrl);
  const isOurs = origin === new URL(publicUrl).origin && pathname.startsWith(`${base}/`) && !pathname.startsWith("//");
  return isOurs ? pathname + search + hash : otherwise;
}
