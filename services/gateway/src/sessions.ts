import { createHash } from "node:crypto";
import type { Bus } from "@ci/kit/bus/bus";
import { ttlCache } from "@ci/kit/bus/ttl-cache";
import { notFound } from "@ci/kit/rpc/fault";
import type { AccountServiceClient, User } from "@ci/proto/namespaces/v1/accounts";
import type { People } from "./people.js";

/** Who a token stands for and what it may do. */
export interface Session {
  readonly user: User;
  readonly tokenId: number;
  readonly scope: string;
  /** `build:read` and so on. */
  readonly permissions: ReadonlySet<string>;
}

/** Tokens that were shown lately, so that not every request asks who it is from. */
export interface Sessions {
  /** Fault `unauthenticated` for a secret that is no valid token. */
  of(secret: string): Promise<Session>;
  /** Forgets everything: some token has ended. */
  forget(): void;
}

/** How long an ended token might go on when the news of its end gets lost. */
const trustMs = 1_000;

/** Every permission that a canonical scope grants. */
const permissionsOf = (scope: string): ReadonlySet<string> =>
  new Set(
    scope.split(" ").flatMap((entry) => {
      const [resource, permissions = ""] = entry.split(":");
      return permissions.split(",").map((permission) => `${resource}:${permission}`);
    }),
  );

/** Sessions that are asked for at `accounts`, and trusted only while the bus would tell of their end. */
export function sessions(accounts: AccountServiceClient, bus: Pick<Bus, "connected">, people: People): Sessions {
  const met = ttlCache<string, Session>(bus, trustMs);
  return {
    async of(secret) {
      const key = createHash("sha256").update(secret).digest("base64");
      const before = met.get(key);
      if (before) return before;
      const keep = met.asking();
      const { user, token, validForMs } = await accounts.authenticate({ secret });
      if (!user || !token) throw notFound();
      people.keep(user);
      const session = { user, tokenId: token.id, scope: token.scope, permissions: permissionsOf(token.scope) };
      keep(key, session, validForMs);
      return session;
    },
    forget: () => met.forget(),
  };
}
