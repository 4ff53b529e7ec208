import type { Db } from "mongodb";

/** The time that all processes of an installation share. */
export interface Clock {
  /** The time of the database, as far as this process knows it. */
  now(): Date;
  /** Compares the clock of this machine with the database's again. */
  compare(): Promise<void>;
}

/** The first comparison may be slow, and a slow one says little. */
const firstComparisons = 3;

/**
 * A clock that follows the database's. Times that one process writes and another compares come from it: the clocks of
 * machines differ. `local` is the clock of this machine, in milliseconds.
 */
export async function databaseClock(db: Db, local: () => number = Date.now): Promise<Clock> {
  let correctionMs = 0;

  async function compare(): Promise<void> {
    const askedAt = local();
    const { localTime } = await db.command({ hello: 1 });
    // The database read its clock, in whole milliseconds, at some moment between question and answer.
    const leastMs = localTime.getTime() - local();
    const mostMs = localTime.getTime() + 1 - askedAt;
    // A clock that may be right stays as it is.
    if (leastMs <= mostMs) correctionMs = Math.min(Math.max(correctionMs, leastMs), mostMs);
  }

  for (let n = 0; n < firstComparisons; n++) await compare();
  return { now: () => new Date(local() + correctionMs), compare };
}
