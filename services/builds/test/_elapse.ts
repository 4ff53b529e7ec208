import type { Db } from "mongodb";

const earlier = (time: string, ms: number) => ({ $subtract: [time, ms] });

/** Ages everything that MongoDB compares with its own clock: leases, slots, and the last sign of life of each runner. */
export async function elapse(db: Db, ms: number): Promise<void> {
  const leased = { "lease.until": { $exists: true } };
  await db.collection("builds").updateMany(leased, [{ $set: { "lease.until": earlier("$lease.until", ms) } }]);
  const alive = { at: { $exists: true } };
  await db.collection("runners").updateMany(alive, [{ $set: { at: earlier("$at", ms) } }]);
  const aged = { $map: { input: "$held", in: { $mergeObjects: ["$$this", { at: earlier("$$this.at", ms) }] } } };
  await db.collection<{ _id: string }>("slots").updateMany({ _id: { $gt: "" } }, [{ $set: { held: aged } }]);
}
