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
    await senders.updateOne({ _id: holder }, [{ $set: { until: { $add: ["$$NOW", forMs] } } }], {
      upsert: true,
      ...unjournaled,
    });
  },

  isDead: async (holder: string): Promise<boolean> =>
    (await senders.findOne({ _id: holder, $expr: { $gt: ["$until", "$$NOW"] } }, timeout)) === null,

  async remove(holder: string): Promise<void> {
    await senders.deleteOne({ _id: holder }, unjournaled);
  },
});
