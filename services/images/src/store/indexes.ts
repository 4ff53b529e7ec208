import { ensureIndexes } from "@ci/kit/mongo/mongo";
import { outboxIndex } from "@ci/kit/mongo/outbox";
import type { Db } from "mongodb";

/** Creates the indexes that the queries of this service need. */
export async function makeIndexes(db: Db): Promise<void> {
  await ensureIndexes(db.collection("images"), [
    // This index needs no deletedAt, because a deleted image has its own scope.
    { key: { scope: 1, name: 1 }, unique: true },
    { key: { userId: 1, name: 1, _id: 1 } },
    { key: { rootId: 1, name: 1, _id: 1 }, partialFilterExpression: { rootId: { $exists: true } } },
    { key: { scope: 1, createdAt: -1, _id: -1 } },
    { key: { scope: 1, terms: 1, createdAt: -1, _id: -1 } },
    { key: { userId: 1, terms: 1, name: 1, _id: 1 } },
    { key: { rootId: 1, terms: 1, name: 1, _id: 1 }, partialFilterExpression: { rootId: { $exists: true } } },
    { key: { userId: 1, scope: 1, size: 1 } },
    { key: { blobId: 1 }, sparse: true },
    { key: { "fetch.dueAt": 1 }, sparse: true },
    { key: { userId: 1, "fetch.dueAt": 1 }, partialFilterExpression: { "fetch.dueAt": { $exists: true } } },
    { key: { "fetch.partial.blobId": 1 }, sparse: true },
    outboxIndex,
  ]);
}
