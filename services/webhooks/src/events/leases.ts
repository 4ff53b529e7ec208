import type { Lease } from "@ci/kit/mongo/lease";

/**
 * The leases of the two event consumers. Only the process that records deliveries takes the stream's lease, so that
 * both find each event's payload in the same memory.
 */
export function consumerLeases(deliveries: Lease, stream: Lease): { deliveries: Lease; stream: Lease } {
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
      take: async (forMs) => recordsDeliveries && (await stream.take(forMs)),
      release: () => stream.release(),
    },
  };
}
