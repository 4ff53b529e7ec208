import type { Lease } from "@ci/kit/mongo/lease";

/** Holders of a lease trust it for so much less, because clocks drift. */
const marginMs = 1_000;

/**
 * Lets only the process that records deliveries record the stream, so that both share rendered payloads. `onHeld` gets the
 * time until when this process may record the stream, by `performance.now()`.
 */
export function consumerLeases(
  deliveries: Lease,
  stream: Lease,
  onHeld: (untilMs: number) => void,
): { deliveries: Lease; stream: Lease } {
  let recordsDeliveries = false;
  return {
    deliveries: {
      async take(forMs) {
        try {
          recordsDeliveries = await deliveries.take(forMs);
        } catch (error) {
          recordsDeliveries = false;
          throw error;
        }
        return recordsDeliveries;
      },
      async release() {
        recordsDeliveries = false;
        await deliveries.release();
      },
    },
    stream: {
      async take(forMs) {
        const fromMs = performance.now();
        const taken = recordsDeliveries && (await stream.take(forMs));
        onHeld(taken ? fromMs + forMs - marginMs : 0);
        return taken;
      },
      async release() {
        onHeld(0);
        await stream.release();
      },
    },
  };
}
