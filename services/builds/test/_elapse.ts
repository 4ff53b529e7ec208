import type { Db } from "mongodb";

const earlier = (time: string, ms: number) => ({ $subtract: [time, ms] });

/** Lets time pass for all that MongoDB compares with its own clock: leases, slots, and when runners were heard of. */
export async function elapse(db: Db, ms: number): Promise<void> {
  const leased = { "lease.until": { $exists: true } };
  await db.collection("builds").updateMany(leased, [{ $set: { "lease.until": earlier("$lease.until", ms) } }]);
  const heard = { at: { $exists: true } };
  await db.collection("runners").updateMany(heard, [{ $set: { at: earlier("$at", ms) } }]);
  const aged = { $map: { input: "$held", in: { $mergeObjects: ["$$this", { at: earlier("$$this.at", ms) }] } } };
  await db.collection<{ _id: string }>("slots").updateMany({ _id: { $gt: "" } }, [{ $set: { held: aged } }]);
}
