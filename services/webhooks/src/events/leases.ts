import type { Lease } from "@ci/kit/mongo/lease";

/** Lets only the process that records deliveries record the stream, so that both share rendered payloads. */
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
