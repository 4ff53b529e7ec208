import { type Client, type Metadata, status } from "@grpc/grpc-js";
import { type Carrier, openCarrier } from "./carrier.js";

/** A client looks for other replicas ever less often, as long as it finds none. */
const firstPauseMs = 50;
const maxPauseMs = 30_000;

/** The streams that carry calls to the replicas of a service. */
export interface Carriers {
  /** Reports whether the service accepts such streams, as far as is known. */
  areAccepted(): boolean;
  /** Returns one of the streams, which take turns. */
  next(): Carrier;
  /** Ends the streams when all replies have arrived. */
  retire(): void;
}

/**
 * Keeps one stream to each replica. gRPC chooses the replica of a stream, so the client now and then opens another one,
 * and ends it if it has reached that replica already.
 */
export function carriersOf(client: Client, proof: () => Metadata, now = () => performance.now()): Carriers {
  const peers = new Map<Carrier, string>();
  let opening: Carrier | undefined;
  let pauseMs = firstPauseMs;
  let lookAt = 0;
  let refusedUntil = 0;
  let turn = 0;

  function lookAgain(): void {
    lookAt = 0;
    pauseMs = firstPauseMs;
  }
  function look(): Carrier {
    lookAt = now() + pauseMs;
    pauseMs = Math.min(2 * pauseMs, maxPauseMs);
    const carrier = openCarrier(client, proof(), {
      accepted(peer) {
        opening = undefined;
        if ([...peers.values()].includes(peer)) return carrier.retire();
        peers.set(carrier, peer);
        lookAgain();
      },
      retired(failure) {
        if (opening === carrier) opening = undefined;
        if (peers.delete(carrier)) lookAgain();
        if (failure?.code === status.UNIMPLEMENTED) refusedUntil = now() + maxPauseMs;
      },
    });
    opening = carrier;
    return carrier;
  }

  return {
    areAccepted: () => refusedUntil <= now(),
    next() {
      if (now() >= lookAt && !opening) look();
      const ready = [...peers.keys()];
      return ready[turn++ % ready.length] ?? opening ?? look();
    },
    retire() {
      for (const carrier of peers.keys()) carrier.retire();
      opening?.retire();
    },
  };
}
