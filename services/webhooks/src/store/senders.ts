import type { Collection } from "mongodb";

/** A process that sends, and until when it counts as alive, by the clock of MongoDB. */
export interface Sender {
  readonly _id: string;
  readonly until: Date;
}

/** An answer that comes later than this is worth nothing. */
const soon = { timeoutMS: 3_000 } as const;
/**
 * Nobody waits for the disk: while that is busy a process would be taken for dead. Lost with a server it is said again
 * a second later.
 */
const quick = { ...soon, writeConcern: { w: 1, journal: false } } as const;

export type Senders = ReturnType<typeof senderStore>;

export const senderStore = (senders: Collection<Sender>) => ({
  /** Lets a process count as alive for so long from now. */
  async keep(holder: string, forMs: number): Promise<void> {
    await senders.updateOne({ _id: holder }, [{ $set: { until: { $add: ["$$NOW", forMs] } } }], {
      upsert: true,
      ...quick,
    });
  },

  isGone: async (holder: string): Promise<boolean> =>
    (await senders.findOne({ _id: holder, $expr: { $gt: ["$until", "$$NOW"] } }, soon)) === null,

  async forget(holder: string): Promise<void> {
    await senders.deleteOne({ _id: holder }, quick);
  },
});
