import type { Lease } from "@ci/kit/mongo/lease";
import type { Followers } from "../store/followers.js";

/** The users whose events outside of namespaces are recorded, as the process that records them knows them. */
export interface Followed {
  /** Reads the followers again before the next event. */
  forget(): void;
  has(userId: number): Promise<boolean>;
  /** Learns of new followers and returns them. Only the process that records does. */
  admit(): Promise<readonly number[]>;
}

/**
 * A follower is confirmed by the process that records, which reads all of them when its term begins. So no event between a
 * confirmation and its stream is missed, and an event of a user whom nobody follows costs nothing.
 */
export function followedUsers(
  followers: Pick<Followers, "all" | "waiting" | "admit">,
  { term }: Pick<Lease, "term">,
): Followed {
  let known: { readonly term: number | undefined; readonly users: Promise<Set<number>> } | undefined;
  const forget = () => {
    known = undefined;
  };
  const usersIn = (current: number | undefined): Promise<Set<number>> => {
    if (known?.term !== current) forget();
    if (known) return known.users;
    const loading = { term: current, users: followers.all().then((ids) => new Set(ids)) };
    loading.users.catch(() => {
      if (known === loading) forget();
    });
    known = loading;
    return loading.users;
  };
  return {
    forget,
    has: async (userId) => (await usersIn(term())).has(userId),
    async admit() {
      const current = term();
      if (current === undefined) return [];
      const waiting = await followers.waiting();
      if (waiting.length === 0) return [];
      const users = await usersIn(current);
      for (const userId of waiting) users.add(userId);
      if (term() !== current) return [];
      await followers.admit(waiting);
      return waiting;
    },
  };
}
