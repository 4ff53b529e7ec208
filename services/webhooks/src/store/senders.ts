import { inMs } from "@ci/kit/mongo/expressions";
import type { Collection } from "mongodb";

/** A process that sends, and until when it counts as alive, by the clock of MongoDB. */
export interface Sender {
  readonly _id: string;
  readonly until: Date;
}

const timeout = { timeoutMS: 3_000 } as const;
/** Does not wait for the disk, because a busy one would make the process look dead. The next write replaces a lost one. */
const unjournaled = { ...timeout, writeConcern: { w: 1, journal: false } } as const;

export type Senders = ReturnType<typeof senderStore>;

export const senderStore = (senders: Collection<Sender>) => ({
  async renew(holder: string, forMs: number): Promise<void> {
    await senders.updateOne({ _id: holder }, [{ $set: { until: inMs(forMs) } }], {
      upsert: true,
      ...unjournaled,
    });
  },

  /** Heartbeats last for `forMs`. One that lasts too long is from before the clock was set back. */
  async isDead(holder: string, forMs: number): Promise<boolean> {
    const isCurrent = { $and: [{ $gt: ["$until", "$$NOW"] }, { $lt: ["$until", inMs(2 * forMs)] }] };
    return (await senders.findOne({ _id: holder, $expr: isCurrent }, timeout)) === null;
  },

  async remove(holder: string): Promise<void> {
    await senders.deleteOne({ _id: holder }, unjournaled);
  },
});
