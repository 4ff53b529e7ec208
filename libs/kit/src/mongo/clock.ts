import type { Db } from "mongodb";

export interface Clock {
  now(): Date;
  compare(): Promise<void>;
}

const firstComparisons = 3;

/** Follows the database's clock, since clocks of machines differ. `local` is this machine's, in milliseconds. */
export async function databaseClock(db: Db, local: () => number = Date.now): Promise<Clock> {
  let correctionMs = 0;

  async function compare(): Promise<void> {
    const sentAt = local();
    const { localTime } = await db.command({ hello: 1 });
    // The database read its clock, in whole milliseconds, between request and response.
    const lowestMs = localTime.getTime() - local();
    const highestMs = localTime.getTime() + 1 - sentAt;
    if (lowestMs <= highestMs) correctionMs = Math.min(Math.max(correctionMs, lowestMs), highestMs);
  }

  for (let n = 0; n < firstComparisons; n++) await compare();
  return { now: () => new Date(local() + correctionMs), compare };
}
