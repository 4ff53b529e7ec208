import type { Db } from "mongodb";

const first = (field: string) => [
  { $match: { [field]: { $gt: new Date(0) } } },
  { $sort: { [field]: 1 } },
  { $limit: 1 },
  { $project: { _id: 0, at: `$${field}` } },
];

/** Returns when the first deleted record is due to be cleared or removed. Asks MongoDB once for all collections. */
export async function nextToClear(db: Db): Promise<Date | undefined> {
  const found = db
    .collection("users")
    .aggregate<{ at: Date }>([
      ...first("clearAt"),
      { $unionWith: { coll: "namespaces", pipeline: first("clearAt") } },
      { $unionWith: { coll: "memberships", pipeline: first("deletedAt") } },
      { $sort: { at: 1 } },
    ]);
  return (await found.toArray())[0]?.at;
}
