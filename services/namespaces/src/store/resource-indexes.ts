import { ensureIndexes } from "@ci/kit/mongo/mongo";
import { outboxIndex } from "@ci/kit/mongo/outbox";
import type { Db, IndexDescription } from "mongodb";

const scopedIndexes = (field: string): IndexDescription[] => [
  // These indexes need no deletedAt, because a deleted record has its own scope.
  { key: { scope: 1, [field]: 1 }, unique: true },
  { key: { userId: 1, [field]: 1, _id: 1 } },
  { key: { rootId: 1, [field]: 1, _id: 1 } },
  { key: { scope: 1, terms: 1, [field]: 1 } },
  { key: { userId: 1, terms: 1, [field]: 1, _id: 1 } },
  { key: { rootId: 1, terms: 1, [field]: 1, _id: 1 }, partialFilterExpression: { rootId: { $exists: true } } },
  outboxIndex,
];

export async function makeResourceIndexes(db: Db): Promise<void> {
  await ensureIndexes(db.collection("objects"), [
    ...scopedIndexes("name"),
    { key: { blobId: 1 } },
    { key: { userId: 1, scope: 1, size: 1 } },
  ]);
  await ensureIndexes(db.collection("variables"), scopedIndexes("key"));
  await ensureIndexes(db.collection("keys"), scopedIndexes("name"));
}
