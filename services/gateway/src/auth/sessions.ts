import { createHash } from "node:crypto";
import { readScope } from "@ci/access/scope";
import type { Bus } from "@ci/kit/bus/bus";
import { fullPause } from "@ci/kit/bus/full-pause";
import { ttlCache } from "@ci/kit/bus/ttl-cache";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { asFault, notFound } from "@ci/kit/rpc/fault";
import { sharedReads } from "@ci/kit/turns/shared-reads";
import type { AccountServiceClient, Token, User } from "@ci/proto/namespaces/v1/accounts";
import { LRUCache } from "lru-cache";
import type { Users } from "../backend/users.js";

/** The user of a token, and what the token permits. */
export interface Session {
  readonly user: User;
  readonly tokenId: number;
  readonly tokenName: string;
  readonly scope: string;
  readonly permissions: ReadonlySet<string>;
  /** Set for a session of the web page. */
  readonly sessionId?: number | undefined;
}

export const sessionFrom = (user: User, { id, name, scope }: Token, sessionId?: number): Session => ({
  user,
  tokenId: id,
  tokenName: name,
  scope,
  sessionId,
  permissions: new Set(readScope(scope).granted),
});

/** Caches recently used tokens, which saves looking up the user on every request. */
export interface Sessions {
  /** Returns the session of a token or a cookie. Throws `unauthenticated`; `admit` may refuse to look up unknown ones. */
  of(secret: string, ofSession?: boolean, admit?: () => void): Promise<Session>;
  /** Empties the cache after a token has ended. */
  forget(): void;
  /** Waits until no gateway trusts an ended token or session any more. Await it before confirming the end. */
  expire(): Promise<void>;
}

const maxKnown = fixedLimit({
  max: 10_000,
  about: "tokens that a gateway looks up although too many requests of their address had invalid ones",
  effect: "the least recently used one is refused like unknown ones",
});

/** How long an ended token may keep working if its event is lost. */
export const trustMs = 250;

/** Caches sessions only while the bus is connected, because the bus announces their end. */
export function cachedSessions(accounts: AccountServiceClient, bus: Pick<Bus, "connected">, users: Users): Sessions {
  const sessions = ttlCache<string, Session>(bus, trustMs);
  // A client may open hundreds of streams at once.
  const shared = sharedReads<Session>();
  const known = new LRUCache<string, true>({ max: maxKnown });

  async function read(key: string, secret: string, ofSession: boolean): Promise<Session> {
    const keep = sessions.asking();
    const { user, token, validForMs, sessionId } = await accounts.authenticate({ secret, ofSession }).catch((error) => {
      if (asFault(error).code === "unauthenticated") known.delete(key);
      throw error;
    });
    if (!user || !token) throw notFound();
    known.set(key, true);
    users.keep(user);
    const session = sessionFrom(user, token, sessionId);
    keep(key, session, validForMs);
    return session;
  }

  return {
    async of(secret, ofSession = false, admit = () => {}) {
      const key = `${ofSession} ${createHash("sha256").update(secret).digest("base64")}`;
      const cached = sessions.get(key);
      if (cached) return cached;
      if (!known.has(key)) admit();
      return shared(key, () => read(key, secret, ofSession));
    },
    forget: () => sessions.forget(),
    expire() {
      sessions.forget();
      return fullPause(trustMs);
    },
  };
}
