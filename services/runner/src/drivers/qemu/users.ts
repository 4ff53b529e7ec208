import type { User } from "./machine.js";

/** Users for virtual machines: no two at a time run as the same one. */
export interface Users {
  take(): Disposable & { readonly user: User | undefined };
}

/**
 * Counts up from a first user id. Nobody need have heard of these users: what a machine needs it is given open. A runner
 * that is not root itself cannot choose, then its machines run as it does.
 */
export function usersFrom(firstUid: number): Users {
  const taken = new Set<number>();
  return {
    take() {
      if (process.getuid?.() !== 0) return { user: undefined, [Symbol.dispose]: () => undefined };
      let uid = firstUid;
      while (taken.has(uid)) uid++;
      taken.add(uid);
      return { user: { uid, gid: uid }, [Symbol.dispose]: () => void taken.delete(uid) };
    },
  };
}
