import type { Db, Document } from "mongodb";

/** What a sorted query looked at, as MongoDB counted it. */
export interface Examined {
  readonly keys: number;
  readonly docs: number;
  readonly sortedInMemory: boolean;
  /** For messages: the filter, and the indexes that served it. */
  readonly asked: string;
}

/** The sorted queries, which are those of lists, that a database answers while `work` runs. */
export async function examined(db: Db, work: () => Promise<unknown>): Promise<Examined[]> {
  const from = new Date();
  await db.command({ profile: 2 });
  await work();
  await db.command({ profile: 0 });
  const found = await db
    .collection("system.profile")
    .find({ op: "query", ts: { $gte: from }, "command.sort": { $exists: true } })
    .toArray();
  return found.map(({ keysExamined, docsExamined, hasSortStage = false, command, planSummary }: Document) => ({
    keys: keysExamined,
    docs: docsExamined,
    sortedInMemory: hasSortStage,
    asked: `${JSON.stringify(command.filter)} ${planSummary}`,
  }));
}
