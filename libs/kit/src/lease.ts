import { randomUUID } from "node:crypto";
import type { Db } from "mongodb";
import { duplicateKey } from "./mongo.js";

/** A right that one process at a time has, among those that share a database. */
export interface Lease {
  /** Takes or renews it for `forMs` from now by this machine's clock; false while somebody else has it. */
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
      const now = Date.now();
      try {
        await leases.updateOne(
          { _id: name, $or: [{ holder }, { until: { $lte: new Date(now) } }] },
          { $set: { holder, until: new Date(now + forMs) } },
          { upsert: true, writeConcern: { w: 1, journal: false } },
        );
        return true;
      } catch (error) {
        // It is there, and not ours to take: making another of the same name was refused.
        if (duplicateKey(error)) return false;
        throw error;
      }
    },
    async release() {
      await leases.deleteOne({ _id: name, holder });
    },
  };
}
