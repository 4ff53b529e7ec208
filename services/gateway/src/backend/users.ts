import type { Bus } from "@ci/kit/bus/bus";
import { ttlCache } from "@ci/kit/bus/ttl-cache";
import type { AccountServiceClient, User } from "@ci/proto/namespaces/v1/accounts";

/** Caches users. No user is ever renamed, and an event announces every other change. */
export interface Users {
  get(id: number): User | undefined;
  keep(user: User): void;
  /** Returns the id of a user, possibly a deleted one. Ignores case. Throws `not_found` for an unknown name. */
  idOf(username: string): Promise<number>;
  forget(): void;
}

/** How long a cached user is trusted if the event is lost. */
const trustMs = 60_000;

export function cachedUsers(accounts: Pick<AccountServiceClient, "getUser">, bus: Pick<Bus, "connected">): Users {
  const byId = ttlCache<number, User>(bus, trustMs);
  const idsByName = ttlCache<string, number>(bus, trustMs);
  const keep = (user: User) => {
    byId.asking()(user.id, user);
    idsByName.asking()(user.username.toLowerCase(), user.id);
  };
  return {
    get: (id) => byId.get(id),
    keep,
    async idOf(username) {
      const id = idsByName.get(username.toLowerCase());
      if (id !== undefined) return id;
      const { user } = await accounts.getUser({ by: { $case: "username", value: username } });
      keep(user!);
      return user!.id;
    },
    forget() {
      byId.forget();
      idsByName.forget();
    },
  };
}
