import { randomUUID } from "node:crypto";
import type { Db } from "mongodb";
import { duplicateKey } from "./mongo.js";

/** An exclusive right of one process among those that share a database. */
export interface Lease {
  /** Takes or renews it for `forMs` by the clock of MongoDB; returns false while another process has it. */
  take(forMs: number): Promise<boolean>;
  release(): Promise<void>;
}

interface Held {
  _id: string;
  holder: string;
  until: Date;
}

/** Opens a lease. A crash of MongoDB may lose it, so holders must tolerate a second holder for a moment. */
export function leaseOf(db: Db, name: string): Lease {
  const leases = db.collection<Held>("leases");
  const holder = randomUUID();
  return {
    async take(forMs) {
      // A new lease has no `until`, which compares as less than any time.
      const free = { $or: [{ $eq: ["$holder", holder] }, { $lte: ["$until", "$$NOW"] }] };
      const until = { $cond: [free, { $add: ["$$NOW", forMs] }, "$until"] };
      try {
        const taken = await leases.findOneAndUpdate(
          { _id: name },
          [{ $set: { holder: { $cond: [free, holder, "$holder"] }, until } }],
          { upsert: true, returnDocument: "after", writeConcern: { w: 1, journal: false } },
        );
        return taken?.holder === holder;
      } catch (error) {
        if (duplicateKey(error)) return false;
        throw error;
      }
    },
    async release() {
      await leases.deleteOne({ _id: name, holder });
    },
  };
}
