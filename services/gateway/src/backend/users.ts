import type { Bus } from "@ci/kit/bus/bus";
import { ttlCache } from "@ci/kit/bus/ttl-cache";
import type { AccountServiceClient, User } from "@ci/proto/namespaces/v1/accounts";

/** Users that were met lately. Nobody is ever renamed, and what else changes about a user comes as an event. */
export interface People {
  get(id: number): User | undefined;
  keep(user: User): void;
  /** The user a path names, deleted ones too; case does not matter. Fault `not_found`. */
  idOf(username: string): Promise<number>;
  forget(): void;
}

const trustMs = 60_000;

export function people(accounts: Pick<AccountServiceClient, "getUser">, bus: Pick<Bus, "connected">): People {
  const byId = ttlCache<number, User>(bus, trustMs);
  const ids = ttlCache<string, number>(bus, trustMs);
  const keep = (user: User) => {
    byId.asking()(user.id, user);
    ids.asking()(user.username.toLowerCase(), user.id);
  };
  return {
    get: (id) => byId.get(id),
    keep,
    async idOf(username) {
      const id = ids.get(username.toLowerCase());
      if (id !== undefined) return id;
      const { user } = await accounts.getUser({ by: { $case: "username", value: username } });
      keep(user!);
      return user!.id;
    },
    forget() {
      byId.forget();
      ids.forget();
    },
  };
}
