import type { ServerResponse } from "node:http";
import { fixedLimit } from "@ci/kit/process/fixed-limit";

const refusal = "Too many requests";
const maxBytes = fixedLimit({
  max: 64 * 1024 ** 2,
  unit: "bytes",
  about: "JSON that a gateway holds for clients that have not read it",
  effect: "the oldest response of the user who holds most is cut off",
});
const maxBytesOfOwner = fixedLimit({
  max: 48 * 1024 ** 2,
  unit: "bytes",
  about: "JSON that a gateway holds for clients of one user that have not read it",
  refusal,
});

/** How much of a response, or of those before it on its connection, a client must take within each window. */
interface TakingPace {
  readonly windowMs: number;
  readonly windowBytes: number;
}

const defaultPace: TakingPace = {
  windowMs: 60_000,
  windowBytes: fixedLimit({
    max: 64 * 1024,
    unit: "bytes",
    about: "least of a response that a client must read every minute",
    effect: "the connection is closed",
  }),
};

interface Owner {
  bytes: number;
  /** Ends each of its responses, with the bytes that it holds. The first is the oldest. */
  readonly held: Map<() => void, number>;
}

export interface Unsent {
  /**
   * Counts what a response holds until it is closed, and cuts off a client that takes it too slowly. Returns a signal of
   * its end; undefined if there is no room.
   */
  hold(user: string, response: ServerResponse, bytes: number): AbortSignal | undefined;
}

const takenBytes = ({ socket }: ServerResponse["req"]): number => socket.bytesWritten - socket.writableLength;

/** Calls `cut` when a client takes too little. A response behind others on its connection has no event of its end. */
function watchTaking({ req }: ServerResponse, { windowMs, windowBytes }: TakingPace, cut: () => void): NodeJS.Timeout {
  let taken = takenBytes(req);
  const tick = () => {
    if (req.socket.destroyed || takenBytes(req) - taken < windowBytes) cut();
    taken = takenBytes(req);
  };
  return setInterval(() => setImmediate(tick), windowMs).unref();
}

/** Bounds the responses that are held for their clients: all of them, and those of each user. */
export function unsent(limits = { maxBytes, maxBytesOfOwner }, pace = defaultPace): Unsent {
  const owners = new Map<string, Owner>();
  let heldBytes = 0;

  function makeRoom(own: Owner, bytes: number): boolean {
    if (own.bytes > 0 && own.bytes + bytes > limits.maxBytesOfOwner) return false;
    while (heldBytes > 0 && heldBytes + bytes > limits.maxBytes) {
      const [heaviest] = [...owners.values()].sort((a, b) => b.bytes - a.bytes);
      if (heaviest!.bytes <= own.bytes + bytes) return false;
      const [cut] = heaviest!.held.keys();
      cut!();
    }
    return true;
  }

  return {
    hold(user, response, bytes) {
      const own = owners.get(user) ?? { bytes: 0, held: new Map() };
      const { socket } = response.req;
      if (socket.destroyed || !makeRoom(own, bytes)) return undefined;
      const controller = new AbortController();
      const end = () => {
        if (!own.held.delete(cut)) return;
        clearInterval(timer);
        response.off("close", end);
        own.bytes -= bytes;
        heldBytes -= bytes;
        if (own.held.size === 0) owners.delete(user);
        controller.abort();
      };
      const cut = () => {
        socket.destroy();
        end();
      };
      const timer = watchTaking(response, pace, cut);
      response.once("close", end);
      owners.set(user, own);
      own.held.set(cut, bytes);
      own.bytes += bytes;
      heldBytes += bytes;
      return controller.signal;
    },
  };
}
