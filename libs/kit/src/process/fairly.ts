import { Fault } from "../rpc/fault.js";
import { fairQueue } from "./fair-queue.js";

/** Runs a task of an owner in the owner's turn. */
export type Fairly<Owner> = <T>(owner: Owner, task: () => Promise<T>) => Promise<T>;

/**
 * Runs at most `slots` tasks at a time, fairly shared by their owners. Beyond `maxWaiting` waiting tasks an owner's next
 * one is refused with Fault `exhausted`.
 */
export function fairly<Owner>(slots: number, maxWaiting: number, refusal: string): Fairly<Owner> {
  const queue = fairQueue<Owner, () => void, undefined>(slots);

  function fillSlots(): void {
    for (let next = queue.take(); next; next = queue.take()) next.key();
  }

  return async (owner, task) => {
    if (queue.waiting(owner) >= maxWaiting) throw new Fault("exhausted", refusal);
    await new Promise<void>((resolve) => {
      queue.add(owner, resolve, () => undefined);
      fillSlots();
    });
    try {
      return await task();
    } finally {
      queue.release(owner);
      fillSlots();
    }
  };
}
