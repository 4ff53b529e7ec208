import type { User } from "./machine.js";

/** Users for virtual machines, each used by one machine at a time. */
export interface Users {
  take(): Disposable & { readonly user: User | undefined };
}

/**
 * Counts up from a first user id. The ids need no account, because machines get their files opened. A runner that is
 * not root cannot switch: its machines run as itself.
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
