import type { Db, ServerHeartbeatSucceededEvent } from "mongodb";

export interface Clock {
  now(): Date;
  compare(): Promise<void>;
  /** Returns how many steps of the database's clock were found: it was set, or another server has become the primary. */
  steps(): number;
}

/** Steps of the machine's clock do not change it. While the machine is suspended, it stands still. */
const steadyTime = (): number => performance.timeOrigin + performance.now();

const firstComparisons = 3;
/** The driver measures its heartbeats in whole milliseconds, and reports them a moment later. */
const heartbeatErrorMs = 2;
/** A smaller difference is no step. */
const stepMs = 2_000;

/**
 * Follows the database's clock, since clocks of machines differ: the primary's responses to the driver's heartbeats say what
 * time it is. `local` is this machine's, in milliseconds.
 */
export async function databaseClock(db: Db, local: () => number = steadyTime): Promise<Clock> {
  let correctionMs = 0;
  let steps = 0;

  function correct(localTime: Date, sentAt: number): void {
    // The database read its clock, in whole milliseconds, between request and response.
    const lowestMs = localTime.getTime() - local();
    const highestMs = localTime.getTime() + 1 - sentAt;
    if (lowestMs > highestMs) return;
    const corrected = Math.min(Math.max(correctionMs, lowestMs), highestMs);
    if (Math.abs(corrected - correctionMs) > stepMs) steps++;
    correctionMs = corrected;
  }

  async function compare(): Promise<void> {
    const sentAt = local();
    const { localTime } = await db.command({ hello: 1 });
    correct(localTime, sentAt);
  }

  for (let n = 0; n < firstComparisons; n++) await compare();
  db.client.on("serverHeartbeatSucceeded", ({ reply, duration, awaited }: ServerHeartbeatSucceededEvent) => {
    if (reply.isWritablePrimary && !awaited) correct(reply.localTime, local() - duration - heartbeatErrorMs);
  });
  return { now: () => new Date(local() + correctionMs), compare, steps: () => steps };
}
