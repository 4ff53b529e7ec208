import type { QueueServiceClient } from "@ci/proto/builds/v1/queue";
import type { Mark } from "../driver.js";
import { Ended } from "../endings/ended.js";
import { mayPass } from "../endings/errors.js";

/** The right to run a build, renewed until disposed. */
export interface Lease extends Disposable {
  readonly ended: AbortSignal;
  /** Aborts as `lost` only: reports make sense until then. */
  readonly lost: AbortSignal;
  renew(): void;
  /** Stops renewing; the queue notices when the lease ends. */
  lose(): void;
}

interface LeaseTimes {
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  /** When the claim was sent, by performance.now(): the lease began no earlier. */
  readonly claimedAt: number;
}

/** Renews a lease. Without a renewal in time the build is lost. */
export function keepLease(
  queue: Pick<QueueServiceClient, "renewLease">,
  mark: Mark,
  { leaseMs, renewEveryMs, claimedAt }: LeaseTimes,
): Lease {
  const lost = new AbortController();
  const killed = new AbortController();
  const lose = () => lost.abort(new Ended("lost"));
  // A process that hangs must not cost the lease if another one answers.
  const answerMs = Math.ceil(Math.max(1_000, Math.min(renewEveryMs, leaseMs / 3)));
  let until = claimedAt + leaseMs;
  const whenOver = () => setTimeout(lose, Math.max(0, until - performance.now()));
  let over = whenOver();
  let next: NodeJS.Timeout | undefined;
  let done = false;

  function heldSince(sentAt: number): void {
    until = Math.max(until, sentAt + leaseMs);
    clearTimeout(over);
    over = whenOver();
  }

  async function renew(): Promise<void> {
    clearTimeout(next);
    let pauseMs = renewEveryMs;
    const sentAt = performance.now();
    try {
      const signal = AbortSignal.any([lost.signal, AbortSignal.timeout(answerMs)]);
      const { kill, killedBy } = await queue.renewLease({ ...mark }, { signal });
      if (done) return;
      heldSince(sentAt);
      if (kill) killed.abort(new Ended("killed", killedBy && `Build killed by ${killedBy}`));
    } catch (error) {
      if (done) return;
      if (!mayPass(error)) return lose();
      pauseMs = Math.min(renewEveryMs / 5, 1_000);
    }
    clearTimeout(next);
    next = setTimeout(() => void renew(), pauseMs);
  }
  next = setTimeout(() => void renew(), Math.max(0, claimedAt + renewEveryMs - performance.now()));

  return {
    ended: AbortSignal.any([lost.signal, killed.signal]),
    lost: lost.signal,
    renew: () => void renew(),
    lose,
    [Symbol.dispose]() {
      done = true;
      clearTimeout(over);
      clearTimeout(next);
    },
  };
}
