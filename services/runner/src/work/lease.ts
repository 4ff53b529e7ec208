import { Fault } from "@ci/kit/rpc/fault";
import type { QueueServiceClient } from "@ci/proto/builds/v1/queue";
import type { Mark } from "../driver.js";
import { Ended } from "./ended.js";

/** The right to run a build, kept alive. */
export interface Lease extends Disposable {
  /** Fires as `killed` or `lost`. */
  readonly ended: AbortSignal;
  /** Fires as `lost` only: reports make sense until then. */
  readonly lost: AbortSignal;
  /** Renews at once, because there may be news. */
  renew(): void;
  /** Gives the build up: it will be found by its lease running out. */
  lose(): void;
}

export interface LeaseTimes {
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  /** When the claim was sent, by performance.now(): the lease cannot have begun earlier. */
  readonly claimedAt: number;
}

/** A peer that is away or troubled may be back before the lease has ended; any other refusal means that we are out. */
const mayPass = (error: unknown) =>
  !(error instanceof Fault) || error.code === "unavailable" || error.code === "internal";

/** Renews the lease until disposed. Without a renewal in time the build is lost, whatever the reason. */
export function keepLease(
  queue: Pick<QueueServiceClient, "renewLease">,
  mark: Mark,
  { leaseMs, renewEveryMs, claimedAt }: LeaseTimes,
): Lease {
  const lost = new AbortController();
  const killed = new AbortController();
  const lose = () => lost.abort(new Ended("lost"));
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
      const { kill, killedBy } = await queue.renewLease({ ...mark }, { signal: lost.signal });
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
  next = setTimeout(() => void renew(), renewEveryMs);

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
