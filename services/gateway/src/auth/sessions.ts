import { createHash } from "node:crypto";
import { readScope } from "@ci/access/scope";
import type { Bus } from "@ci/kit/bus/bus";
import { ttlCache } from "@ci/kit/bus/ttl-cache";
import { sharedReads } from "@ci/kit/process/shared";
import { notFound } from "@ci/kit/rpc/fault";
import type { AccountServiceClient, User } from "@ci/proto/namespaces/v1/accounts";
import type { Users } from "../backend/users.js";

/** The user of a token, and what the token permits. */
export interface Session {
  readonly user: User;
  readonly tokenId: number;
  readonly tokenName: string;
  readonly scope: string;
  readonly permissions: ReadonlySet<string>;
}

/** Caches recently used tokens, so that we don't look up the user on every request. */
export interface Sessions {
  /** Returns the session of a token. Throws `unauthenticated` for an invalid one. */
  of(secret: string): Promise<Session>;
  /** Forgets everything: some token has ended. */
  forget(): void;
}

/** How long an ended token might keep working if the event is lost. */
const trustMs = 1_000;

/** Caches sessions only while the bus is connected, which announces their end. */
export function cachedSessions(accounts: AccountServiceClient, bus: Pick<Bus, "connected">, users: Users): Sessions {
  const sessions = ttlCache<string, Session>(bus, trustMs);
  // A client may open hundreds of streams at once.
  const shared = sharedReads<Session>();

  async function read(key: string, secret: string): Promise<Session> {
    const keep = sessions.asking();
    const { user, token, validForMs } = await accounts.authenticate({ secret });
    if (!user || !token) throw notFound();
    users.keep(user);
    const permissions = new Set(readScope(token.scope).granted);
    const session = { user, tokenId: token.id, tokenName: token.name, scope: token.scope, permissions };
    keep(key, session, validForMs);
    return session;
  }

  return {
    async of(secret) {
      const key = createHash("sha256").update(secret).digest("base64");
      return sessions.get(key) ?? shared(key, () => read(key, secret));
    },
    forget: () => sessions.forget(),
  };
}
