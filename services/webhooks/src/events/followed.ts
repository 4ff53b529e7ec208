import type { Followers } from "../store/followers.js";

/** The users whose events outside of namespaces are recorded, as the process that records them knows them. */
export interface Followed {
  /** Says until when this process may record, by `performance.now()`; 0 if it no longer may. */
  hold(untilMs: number): void;
  /** Reads the followers again before the next event. */
  forget(): void;
  has(userId: number): Promise<boolean>;
  /** Learns of new followers and returns them. Only the process that records does. */
  admit(): Promise<readonly number[]>;
}

/**
 * A follower is confirmed by the process that records, which reads all of them when it takes over. So no event between a
 * confirmation and its stream is missed, and an event of a user whom nobody follows costs nothing.
 */
export function followedUsers(followers: Pick<Followers, "all" | "waiting" | "admit">): Followed {
  let known: Promise<Set<number>> | undefined;
  let heldUntilMs = 0;
  const load = (): Promise<Set<number>> => {
    const loading = followers.all().then((ids) => new Set(ids));
    loading.catch(() => {
      if (known === loading) known = undefined;
    });
    return loading;
  };
  const forget = () => {
    known = undefined;
  };
  return {
    hold(untilMs) {
      if (performance.now() > heldUntilMs) forget();
      heldUntilMs = untilMs;
    },
    forget,
    async has(userId) {
      known ??= load();
      return (await known).has(userId);
    },
    async admit() {
      if (performance.now() > heldUntilMs) return [];
      const waiting = await followers.waiting();
      if (waiting.length === 0) return [];
      known ??= load();
      const users = await known;
      for (const userId of waiting) users.add(userId);
      if (performance.now() > heldUntilMs) return [];
      await followers.admit(waiting);
      return waiting;
    },
  };
}
