import { Fault } from "../rpc/fault.js";
import { countsBy } from "./counts.js";

interface Waiting {
  readonly bytes: number;
  readonly begin: () => void;
}

type FairBytes<Owner> = <T>(owner: Owner, bytes: number, task: () => Promise<T>) => Promise<T>;

/**
 * Runs tasks of at most `maxBytes` together, or a single larger one, in turns of owners. Refuses as `fairly` does, and beyond
 * `maxWaitingBytes` of an owner. With `leavesRoom`, no owner gets more than are free, so that one owner gets half of the bytes,
 * as of the slots of a `fairQueue`.
 */
export function fairBytes<Owner>(
  maxBytes: number,
  maxWaiting: number,
  refusal: string,
  { leavesRoom = false, maxWaitingBytes = Number.POSITIVE_INFINITY } = {},
): FairBytes<Owner> {
  const queues = new Map<Owner, Waiting[]>();
  const held = countsBy<Owner>();
  let running = 0;
  let taken = 0;

  function beginNext(): void {
    for (const [owner, queue] of queues) {
      const { bytes, begin } = queue[0]!;
      if (running > 0 && taken + bytes > maxBytes) return;
      const own = held.of(owner);
      if (leavesRoom && own > 0 && own + bytes > maxBytes - taken) continue;
      queue.shift();
      queues.delete(owner);
      if (queue.length > 0) queues.set(owner, queue);
      running++;
      taken += bytes;
      held.add(owner, bytes);
      begin();
    }
  }

  return async (owner, bytes, task) => {
    const queue = queues.get(owner) ?? [];
    const waitingBytes = queue.reduce((sum, waiting) => sum + waiting.bytes, bytes);
    if (queue.length >= maxWaiting || (queue.length > 0 && waitingBytes > maxWaitingBytes))
      throw new Fault("exhausted", refusal);
    await new Promise<void>((begin) => {
      queue.push({ bytes, begin });
      queues.set(owner, queue);
      beginNext();
    });
    try {
      return await task();
    } finally {
      running--;
      taken -= bytes;
      held.add(owner, -bytes);
      beginNext();
    }
  };
}
