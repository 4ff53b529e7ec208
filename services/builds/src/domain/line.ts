/** A user in a line, and how many of their builds wait there. */
export interface Standing {
  readonly userId: number;
  readonly waiting: number;
}

/** Places are told up to this one; it stands for all that come after it too. */
export const lastPlace = 500;

/** Why a build is still queued. */
export type Reason = "waiting for a runner" | "limit of user" | "limit of namespace" | "no runner for driver";

/** What is said to those who follow the output of a build that is queued for this reason. */
export function waitingText(reason: Reason, driver: string): string {
  const texts: Record<Reason, string> = {
    "waiting for a runner": `no runner of the ${driver} driver is free yet`,
    "limit of user": "the limit of builds that run for this user at the same time is reached",
    "limit of namespace": "the limit of builds that run in this namespace at the same time is reached",
    "no runner for driver": `no runner serves the ${driver} driver`,
  };
  return `Waiting: ${texts[reason]}`;
}

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
