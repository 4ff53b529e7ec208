import { Fault } from "../rpc/fault.js";
import { fairQueue } from "./fair-queue.js";

/** Runs a task of an owner in the owner's turn. Throws Fault `exhausted` if `signal` fires before its turn. */
export type Fairly<Owner> = <T>(owner: Owner, task: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * Runs at most `slots` tasks at a time, fairly shared by their owners. Beyond `maxWaiting` waiting tasks an owner's next
 * one is refused with Fault `exhausted`.
 */
export function fairly<Owner>(slots: number, maxWaiting: number, refusal: string): Fairly<Owner> {
  const queue = fairQueue<Owner, () => void, undefined>(slots);

  function fillSlots(): void {
    for (let next = queue.take(); next; next = queue.take()) next.key();
  }

  const turn = (owner: Owner, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      };
      const giveUp = () => {
        queue.remove(owner, begin);
        reject(new Fault("exhausted", refusal));
      };
      if (signal?.aborted) return giveUp();
      signal?.addEventListener("abort", giveUp, { once: true });
      queue.add(owner, begin, () => undefined);
      fillSlots();
    });

  return async (owner, task, signal) => {
    if (queue.waiting(owner) >= maxWaiting) throw new Fault("exhausted", refusal);
    await turn(owner, signal);
    try {
      return await task();
    } finally {
      queue.release(owner);
      fillSlots();
    }
  };
}
