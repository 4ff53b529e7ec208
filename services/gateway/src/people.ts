import type { AccountServiceClient, User } from "@ci/proto/namespaces/v1/accounts";

/** More users than are at work at a time; each takes some hundred bytes. */
const kept = 10_000;

/** A map that forgets what was put in first when it is full. */
function bounded<K, V>(): Map<K, V> & { keep(key: K, value: V): void } {
  const map = new Map<K, V>();
  return Object.assign(map, {
    keep(key: K, value: V) {
      if (map.size >= kept && !map.has(key)) map.delete(map.keys().next().value as K);
      map.set(key, value);
    },
  });
}

/** Users that were met lately. Nobody is ever renamed, and what else changes about a user comes as an event. */
export interface People {
  get(id: number): User | undefined;
  keep(user: User): void;
  /** The user a path names, deleted ones too; case does not matter. Fault `not_found`. */
  idOf(username: string): Promise<number>;
  forget(): void;
}

export function people(accounts: AccountServiceClient): People {
  const byId = bounded<number, User>();
  const ids = bounded<string, number>();
  const keep = (user: User) => {
    byId.keep(user.id, user);
    ids.keep(user.username.toLowerCase(), user.id);
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
      byId.clear();
      ids.clear();
    },
  };
}
