import { isRoot, type User } from "../user.js";

export interface Users {
  take(): Disposable & { readonly user: User | undefined };
}

/** Counts up from a first id; no account is needed. A runner that is not root runs machines as itself. */
export function usersFrom(firstUid: number): Users {
  const taken = new Set<number>();
  return {
    take() {
      if (!isRoot()) return { user: undefined, [Symbol.dispose]: () => undefined };
      let uid = firstUid;
      while (taken.has(uid)) uid++;
      taken.add(uid);
      return { user: { uid, gid: uid }, [Symbol.dispose]: () => void taken.delete(uid) };
    },
  };
}
