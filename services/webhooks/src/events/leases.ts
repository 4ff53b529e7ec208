import type { Lease } from "@ci/kit/mongo/lease";

/** Calls `begun` whenever a term begins. */
export function announcing(lease: Lease, begun: () => void): Lease {
  let announced: number | undefined;
  return {
    ...lease,
    async take(forMs) {
      const taken = await lease.take(forMs);
      if (taken && lease.term() !== announced) {
        announced = lease.term();
        begun();
      }
      return taken;
    },
  };
}

/**
 * Lets one lease serve both readers of events, so that only the process that records deliveries records the stream, and both
 * share rendered payloads. It is released once neither reader uses it. Earlier versions hold `earlier` while they record the
 * stream, so a reader of the stream waits for that lease before it begins.
 */
export function sharedLease(lease: Lease, earlier: Lease): { deliveries: Lease; stream: Lease } {
  const users = new Set<string>();

  function sharedBy(user: string, take: Lease["take"]): Lease {
    return {
      term: () => (users.has(user) ? lease.term() : undefined),
      async take(forMs) {
        const taken = await take(forMs);
        if (taken) users.add(user);
        return taken;
      },
      async release() {
        users.delete(user);
        if (users.size === 0) await lease.release();
      },
    };
  }

  const deliveries = sharedBy("deliveries", lease.take);
  const stream = sharedBy("stream", async (forMs) => {
    if (deliveries.term() === undefined) return false;
    return stream.term() !== undefined || earlier.take(forMs);
  });
  return {
    deliveries,
    stream: {
      ...stream,
      async release() {
        await Promise.all([stream.release(), earlier.release()]);
      },
    },
  };
}
