import type { Db, Document } from "mongodb";

/** How much MongoDB read for a sorted query. */
export interface Examined {
  readonly keys: number;
  readonly docs: number;
  readonly sortedInMemory: boolean;
  /** Size of the response. */
  readonly bytes: number;
  readonly query: string;
}

/** By what the event relay and the loops sort, which may read at any time. */
const byTheClock = ["outbox.at", "fetch.dueAt", "lease.until", "wakeAt"];

/** Returns the sorted queries (those of lists) on a collection while `work` runs. */
export async function examined(db: Db, collection: string, work: () => Promise<unknown>): Promise<Examined[]> {
  // Drop it instead of filtering by time: MongoDB's clock may differ from ours.
  await db.dropCollection("system.profile");
  await db.command({ profile: 2 });
  await work();
  await db.command({ profile: 0 });
  const ns = `${db.databaseName}.${collection}`;
  const found = await db
    .collection("system.profile")
    .find({ op: "query", ns, "command.sort": { $exists: true } })
    .toArray();
  const lists = found.filter(({ command }) => !byTheClock.some((field) => field in command.sort));
  return lists.map(
    ({ keysExamined, docsExamined, hasSortStage = false, responseLength, command, planSummary }: Document) => ({
      keys: keysExamined,
      docs: docsExamined,
      bytes: responseLength,
      sortedInMemory: hasSortStage,
      query: `${JSON.stringify(command.filter)} ${planSummary}`,
    }),
  );
}
