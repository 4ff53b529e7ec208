import type { QueueReason } from "@ci/rest/queue-reasons";

export interface Standing {
  readonly userId: number;
  readonly waiting: number;
}

/** The highest place that is reported, also for all later places. */
export const lastPlace = 500;

/** Most builds have started by then. Only followers of builds that wait longer are told why. */
const shortWaitMs = 500;

/** Returns how long nobody is told yet why a build waits. */
export const untilLongMs = (createdAt: Date, now: Date): number =>
  Math.max(0, shortWaitMs - (now.getTime() - createdAt.getTime()));

export function waitingText(reason: QueueReason, driver: string): string {
  const texts: Record<QueueReason, string> = {
    "waiting for a runner": `no runner of the ${driver} driver is free yet`,
    "limit of user": "this user has reached the limit of builds that run at the same time",
    "limit of namespace": "this namespace has reached the limit of builds that run at the same time",
    "limit of group": "another build of its group is running",
    "no runner for driver": `no runner serves the ${driver} driver`,
    "waits for approval": "a member has to approve this build, which comes from a fork",
  };
  return `Waiting: ${texts[reason]}`;
}

/** Users take turns; `before` builds of the same user come first. A user not yet in the line joins at its end. */
export function placeOf(line: readonly Standing[], userId: number, before: number): number {
  const own = line.findIndex((one) => one.userId === userId);
  const others = line.reduce((sum, one, index) => {
    if (one.userId === userId) return sum;
    // Users ahead of this one get one more turn before this build's turn.
    return sum + Math.min(one.waiting, own < 0 || index < own ? before + 1 : before);
  }, 0);
  return Math.min(lastPlace, others + before + 1);
}
