import type { Lease } from "@ci/kit/mongo/lease";
import type { Followers } from "../store/followers.js";
import { onceInTerm } from "./once-in-term.js";

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
  const { get: users, forget } = onceInTerm({ term }, async () => new Set(await followers.all()));
  return {
    forget,
    has: async (userId) => (await users()).has(userId),
    async admit() {
      const current = term();
      if (current === undefined) return [];
      const waiting = await followers.waiting();
      if (waiting.length === 0) return [];
      const known = await users();
      for (const userId of waiting) known.add(userId);
      if (term() !== current) return [];
      await followers.admit(waiting);
      return waiting;
    },
  };
}
