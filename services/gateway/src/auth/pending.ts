import { createSecretKey, scryptSync } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { decrypt, encrypt } from "@ci/kit/security/secrets";
import type { Config } from "../config.js";
import { basePathOf } from "../http/path.js";
import type { Checks } from "./openid.js";
import type { OpenidConfig } from "./openid-config.js";

const pendingMs = fixedLimit({
  max: 10 * 60_000,
  unit: "ms",
  about: "time to sign in at the provider of OpenID Connect",
  effect: "the user begins again",
});
const name = "ci_sign_in";
const pattern = new RegExp(`(?:^|;)\\s*${name}=([A-Za-z0-9:+/=]{1,8000})\\s*(?:;|$)`);
const owner = { kind: "sign-in", id: name };

/** A sign-in that has begun in a browser. */
export interface Pending extends Checks {
  /** The page that follows, as a path. */
  readonly next: string;
  /** The session whose user connects an identity; absent for a sign-in. */
  readonly sessionId?: number | undefined;
}

export interface PendingSignIns {
  /** Returns a Set-Cookie header that keeps a sign-in in its browser. */
  keep(pending: Pending): string;
  /** Returns the browser's sign-in; undefined if it has none, or one that has expired or that we have not made. */
  of(request: IncomingMessage): Pending | undefined;
  /** The Set-Cookie header that makes a browser forget it. */
  readonly forget: string;
}

/** Keeps sign-ins in encrypted cookies. Every replica derives the same key, so that each can finish them. */
export function pendingSignIns(
  { publicUrl }: Pick<Config, "publicUrl">,
  openid: OpenidConfig,
  now: () => number = Date.now,
): PendingSignIns {
  // Slow on purpose: a cookie must not help to guess a secret that is too short.
  const key = createSecretKey(scryptSync(openid.clientSecret, `${openid.issuer} ${openid.clientId}`, 32));
  const keyring = { first: "1", keys: new Map([["1", key]]) };
  const secure = publicUrl.startsWith("https:") ? "; Secure" : "";
  const cookie = (value: string, forMs: number) =>
    `${name}=${value}; Path=${basePathOf(publicUrl)}/-/sign-in/oidc; Max-Age=${forMs / 1_000}; HttpOnly; SameSite=Lax${secure}`;
  return {
    keep: (pending) =>
      cookie(encrypt(keyring, JSON.stringify({ ...pending, until: now() + pendingMs }), owner), pendingMs),
    of({ headers }) {
      const value = pattern.exec(headers.cookie ?? "")?.[1];
      if (value === undefined) return undefined;
      try {
        const { until, ...pending } = JSON.parse(decrypt(keyring, value, owner));
        return until > now() ? pending : undefined;
      } catch {
        return undefined;
      }
    },
    forget: cookie("", 0),
  };
}

const maxNextLength = fixedLimit({
  max: 2_000,
  about: "characters of the address that follows a sign-in",
  effect: "the list of builds follows",
});

/** Returns the page that `next` names as a path of this site, and otherwise the list of builds. */
export function nextPage({ publicUrl }: Pick<Config, "publicUrl">, next = ""): string {
  const base = basePathOf(publicUrl);
  const otherwise = `${base}/builds`;
  if (!next.startsWith("/") || next.length > maxNextLength || !URL.canParse(next, publicUrl)) return otherwise;
  const { origin, pathname, search, hash } = new URL(next, publicUrl);
  const isOurs = origin === new URL(publicUrl).origin && pathname.startsWith(`${base}/`) && !pathname.startsWith("//");
  return isOurs ? pathname + search + hash : otherwise;
}
