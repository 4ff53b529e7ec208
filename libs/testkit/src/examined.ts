import type { Db, Document } from "mongodb";

/** What a sorted query looked at, as MongoDB counted it. */
export interface Examined {
  readonly keys: number;
  readonly docs: number;
  readonly sortedInMemory: boolean;
  /** For messages: the filter, and the indexes that served it. */
  readonly asked: string;
}

/**
 * The sorted queries of a collection, which are those of lists, that MongoDB answers while `work` runs. What a loop of
 * the service asks of the same collection meanwhile is among them, but for the relay of events, which is always at it.
 */
export async function examined(db: Db, collection: string, work: () => Promise<unknown>): Promise<Examined[]> {
  // Whatever was recorded before: the clocks of MongoDB's machine and of this one need not agree.
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
