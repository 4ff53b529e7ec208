import type { UidRange } from "../../config.js";
import { isRoot, type User } from "../user.js";

export interface Users {
  take(): Disposable & { readonly user: User | undefined };
}

/** Hands out ids of a range; no account is needed. A runner that is not root runs machines as itself. */
export function usersFrom({ first, last }: UidRange): Users {
  const taken = new Set<number>();
  return {
    take() {
      if (!isRoot()) return { user: undefined, [Symbol.dispose]: () => undefined };
      let uid = first;
      while (taken.has(uid)) uid++;
      if (uid > last) throw new Error(`Every user from ${first} to ${last} has a machine`);
      taken.add(uid);
      return { user: { uid, gid: uid }, [Symbol.dispose]: () => void taken.delete(uid) };
    },
  };
}
