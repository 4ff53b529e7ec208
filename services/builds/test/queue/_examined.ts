import type { Db } from "mongodb";

interface Profiled {
  ns: string;
  keysExamined?: number;
  docsExamined?: number;
}

/** Counts the keys and documents that MongoDB reads for `work`. Returns the least of three runs, since loops run too. */
export async function examined(db: Db, collections: readonly string[], work: () => Promise<unknown>): Promise<number> {
  const sums: number[] = [];
  for (let tries = 0; tries < 3; tries++) {
    await db.dropCollection("system.profile");
    await db.command({ profile: 2 });
    await work();
    await db.command({ profile: 0 });
    const ns = collections.map((name) => `${db.databaseName}.${name}`);
    const found = await db.collection<Profiled>("system.profile").find({}).toArray();
    const own = found.filter((entry) => ns.includes(entry.ns));
    sums.push(own.reduce((sum, entry) => sum + (entry.keysExamined ?? 0) + (entry.docsExamined ?? 0), 0));
  }
  return Math.min(...sums);
}
