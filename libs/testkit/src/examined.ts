import type { Db, Document } from "mongodb";

/** What MongoDB examined for a sorted query. */
export interface Examined {
  readonly keys: number;
  readonly docs: number;
  readonly sortedInMemory: boolean;
  /** For messages: the filter and the indexes used. */
  readonly asked: string;
}

/**
 * Returns the sorted queries, which are those of lists, that MongoDB answers for a collection while `work` runs. Includes
 * queries of the service's loops, except the relay of events.
 */
export async function examined(db: Db, collection: string, work: () => Promise<unknown>): Promise<Examined[]> {
  // Drop earlier entries rather than compare times: MongoDB's clock may differ from ours.
  await db.dropCollection("system.profile");
  await db.command({ profile: 2 });
  await work();
  await db.command({ profile: 0 });
  const ns = `${db.databaseName}.${collection}`;
  const found = await db
    .collection("system.profile")
    .find({ op: "query", ns, "command.sort": { $exists: true } })
    .toArray();
  const lists = found.filter(({ command }) => !("outbox.at" in command.sort));
  return lists.map(({ keysExamined, docsExamined, hasSortStage = false, command, planSummary }: Document) => ({
    keys: keysExamined,
    docs: docsExamined,
    sortedInMemory: hasSortStage,
    asked: `${JSON.stringify(command.filter)} ${planSummary}`,
  }));
}
