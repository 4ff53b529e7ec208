import { type Client, type Metadata, status } from "@grpc/grpc-js";
import { type Carrier, openCarrier } from "./carrier.js";

/** The pause before a client looks for another replica. It doubles while each new stream reaches a known one. */
const firstPauseMs = 50;
const maxPauseMs = 30_000;

/** The streams that carry calls to the replicas of a service. */
export interface Carriers {
  /** False for 30 s after a server of an earlier version rejected such a stream. */
  areAccepted(): boolean;
  /** Returns one of the streams, which take turns. A silent replica's stream gets no turn while there are others. */
  next(): Carrier;
  /** Ends the streams when all replies have arrived. */
  retire(): void;
}

/**
 * Keeps one stream to each replica. gRPC chooses the replica of a stream, so the client now and then opens another one,
 * and ends it if it has reached that replica already.
 */
export function carriersOf(client: Client, proof: () => Metadata): Carriers {
  const peers = new Map<Carrier, string>();
  const opening = new Set<Carrier>();
  let pauseMs = firstPauseMs;
  let lookAt = 0;
  let refusedUntil = 0;
  let turn = 0;

  const responsive = () => [...peers.keys()].filter((carrier) => !carrier.isSilent());

  function lookAgain(): void {
    lookAt = 0;
    pauseMs = firstPauseMs;
  }
  function look(): Carrier {
    lookAt = performance.now() + pauseMs;
    pauseMs = Math.min(2 * pauseMs, maxPauseMs);
    const carrier = openCarrier(client, proof(), {
      hasOthers: () => responsive().some((other) => other !== carrier),
      accepted(peer) {
        opening.delete(carrier);
        if ([...peers.values()].includes(peer)) return carrier.retire();
        peers.set(carrier, peer);
        lookAgain();
      },
      retired(failure) {
        opening.delete(carrier);
        if (peers.delete(carrier)) lookAgain();
        if (failure?.code === status.UNIMPLEMENTED) refusedUntil = performance.now() + maxPauseMs;
      },
    });
    opening.add(carrier);
    return carrier;
  }

  return {
    areAccepted: () => refusedUntil <= performance.now(),
    next() {
      const newest = performance.now() >= lookAt ? look() : [...opening].at(-1);
      const some = responsive();
      const ready = some.length > 0 ? some : [...peers.keys()];
      return ready[turn++ % ready.length] ?? newest ?? look();
    },
    retire() {
      for (const carrier of [...peers.keys(), ...opening]) carrier.retire();
    },
  };
}
