/** A user in a line, and how many of their builds wait there. */
export interface Standing {
  readonly userId: number;
  readonly waiting: number;
}

/** Places are told up to this one; it stands for all that come after it too. */
export const lastPlace = 500;

/** Why a build is still queued. */
export type Reason = "waiting for a runner" | "limit of user" | "limit of namespace" | "no runner for driver";

/**
 * The place of a build in the order in which those of its line would be handed out if nothing else came: users in
 * turn, and `before` builds of its own user come first. Whoever is not in the line yet would stand at its end.
 * What limits hold back counts like everything else.
 */
export function placeOf(line: readonly Standing[], userId: number, before: number): number {
  const own = line.findIndex((one) => one.userId === userId);
  const others = line.reduce((sum, one, index) => {
    if (one.userId === userId) return sum;
    // Whoever stands further ahead has had one turn more by the time it comes to this build.
    return sum + Math.min(one.waiting, own < 0 || index < own ? before + 1 : before);
  }, 0);
  return Math.min(lastPlace, others + before + 1);
}
