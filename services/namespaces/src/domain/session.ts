import type { OutboxEvent, Stored } from "@ci/kit/mongo/document";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Session } from "@ci/proto/namespaces/v1/accounts";

/** A stored session, with only the hash of its secret. */
export interface SessionDoc extends Stored<Session> {
  readonly hash: string;
  readonly outbox: OutboxEvent[];
  readonly deletedAt?: Date;
}

/** A secret that opens one session. Its hash is its id. */
export interface LinkDoc {
  readonly _id: string;
  readonly userId: number;
  readonly tokenId: number;
  /** The session that made it. The link works only as long as that lasts. */
  readonly sessionId?: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export const linkMs = fixedLimit({
  max: 10 * 60_000,
  unit: "ms",
  about: "time to sign in with a link",
  refusal: "Unauthorized",
});

export const tooManySessions = (max: number | string): string =>
  `Sessions cannot exceed ${max} per user; end one first`;

/** Unused sign-in links that a token may have. */
export const maxLinks = fixedLimit({
  max: 20,
  about: "unused sign-in links of one token",
  effect: "a new one replaces the oldest",
});

export const maxUserAgentLength = fixedLimit({
  max: 200,
  about: "characters of the `User-Agent` of a session",
  effect: "the rest is cut",
});

export const toSession = ({ _id, hash, outbox, deletedAt, ...session }: SessionDoc): Session => ({
  id: _id,
  ...session,
});

/** Returns when a new session expires: after its lifetime, and not later than its token. */
export const sessionExpiry = (now: Date, lifetimeMs: number, tokenExpiresAt: Date | undefined): Date =>
  new Date(Math.min(now.getTime() + lifetimeMs, tokenExpiresAt?.getTime() ?? Number.POSITIVE_INFINITY));
