import { randomUUID } from "node:crypto";
import type { Db } from "mongodb";
import { duplicateKey } from "./duplicates.js";
import { inMs } from "./expressions.js";

/** An exclusive right of one process among those that share a database. */
export interface Lease {
  /** Takes or renews it for `forMs` by the clock of MongoDB; returns false while another process has it. */
  take(forMs: number): Promise<boolean>;
  /** Returns the number of the term in which this process has it; undefined while it does not. A lapse ends a term. */
  term(): number | undefined;
  release(): Promise<void>;
}

interface Held {
  _id: string;
  holder: string;
  until: Date;
}

/** Holders trust a lease for this much less, because clocks drift. */
const marginMs = 1_000;

/** Opens a lease. A holder that stalls may not notice its end at once, so holders must tolerate a second one for a moment. */
export function leaseOf(db: Db, name: string): Lease {
  const leases = db.collection<Held>("leases");
  const holder = randomUUID();
  let term = 0;
  let heldUntilMs = 0;
  let taken: Held | undefined;
  const isHeld = () => performance.now() < heldUntilMs;

  function hold(untilMs: number): void {
    if (!isHeld()) term++;
    heldUntilMs = untilMs;
  }

  // A late release must not end what a later `take` has begun.
  let last: Promise<unknown> = Promise.resolve();
  function afterLast<T>(operation: () => Promise<T>): Promise<T> {
    const mine = last.then(operation);
    last = mine.catch(() => undefined);
    return mine;
  }

  async function take(forMs: number): Promise<boolean> {
    const fromMs = performance.now();
    // A new lease has no `until`, which compares as less than any time. One that ends too late is from before the clock was set back.
    const free = {
      $or: [{ $eq: ["$holder", holder] }, { $lte: ["$until", "$$NOW"] }, { $gt: ["$until", inMs(2 * forMs)] }],
    };
    const until = { $cond: [free, inMs(forMs), "$until"] };
    try {
      const found = await leases.findOneAndUpdate(
        { _id: name },
        [{ $set: { holder: { $cond: [free, holder, "$holder"] }, until } }],
        { upsert: true, returnDocument: "after" },
      );
      taken = found?.holder === holder ? found : undefined;
      hold(taken ? fromMs + forMs - marginMs : 0);
      return taken !== undefined;
    } catch (error) {
      if (duplicateKey(error)) return false;
      throw error;
    }
  }

  return {
    term: () => (isHeld() ? term : undefined),
    take: (forMs) => afterLast(() => take(forMs)),
    release() {
      hold(0);
      return afterLast(async () => {
        hold(0);
        if (taken) await leases.deleteOne(taken);
      });
    },
  };
}
