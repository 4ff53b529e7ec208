import { randomUUID } from "node:crypto";
import type { Db } from "mongodb";
import { duplicateKey } from "./mongo.js";

/** A right that one process at a time has, among those that share a database. */
export interface Lease {
  /** Takes or renews it for `forMs` from now, by the clock of MongoDB; false while somebody else has it. */
  take(forMs: number): Promise<boolean>;
  /** Gives it up before its time, if this process has it. */
  release(): Promise<void>;
}

interface Held {
  _id: string;
  holder: string;
  until: Date;
}

/** The lease of this name. It may be lost with a server: whoever relies on it must bear being two for a moment. */
export function leaseOf(db: Db, name: string): Lease {
  const leases = db.collection<Held>("leases");
  const holder = randomUUID();
  return {
    async take(forMs) {
      // Of a lease that nobody had yet, there is no time: that is before all others.
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
        // Somebody else made it at the same moment.
        if (duplicateKey(error)) return false;
        throw error;
      }
    },
    async release() {
      await leases.deleteOne({ _id: name, holder });
    },
  };
}
