import { ensureIndexes } from "@ci/kit/mongo/mongo";
import { outboxIndex } from "@ci/kit/mongo/outbox";
import type { Db } from "mongodb";
import { newestFirst } from "./selection.js";

const having = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } });

export const numberIndex = "userId_1_number_1";

/** Holds all that the limits of unapproved builds count, so that counting them reads no builds. */
export const unapprovedIndex = {
  "origin.repositoryId": 1,
  awaitsApproval: 1,
  status: 1,
  createdAt: 1,
  unapprovedBytes: 1,
} as const;

const listed = { ...newestFirst, tagText: 1 } as const;
export const newestInNamespace = { namespaceId: 1, ...listed } as const;

const ensureBuildIndexes = (db: Db): Promise<void> =>
  ensureIndexes(db.collection("builds"), [
    { key: { userId: 1, number: 1 }, name: numberIndex, unique: true },
    // Lists, newest first. Their keys decide a search that has no terms.
    { key: { ownerId: 1, ...listed } },
    { key: { rootId: 1, ...listed }, ...having("rootId") },
    { key: newestInNamespace, ...having("namespaceId") },
    { key: { "objects.objectId": 1, namespaceId: 1, createdAt: -1, _id: -1 }, ...having("objects.objectId") },
    { key: { cronId: 1, namespaceId: 1, ...listed }, ...having("cronId") },
    { key: { "group.id": 1, namespaceId: 1, ...listed }, ...having("group.id") },
    { key: { ownerId: 1, status: 1, ...newestFirst, tagText: 1 } },
    { key: { rootId: 1, status: 1, ...newestFirst, tagText: 1 }, ...having("rootId") },
    { key: { namespaceId: 1, status: 1, ...newestFirst, tagText: 1 }, ...having("namespaceId") },
    { key: { ownerId: 1, tagTerms: 1, createdAt: -1, _id: -1 }, ...having("tagTerms") },
    { key: { rootId: 1, tagTerms: 1, createdAt: -1, _id: -1 }, ...having("tagTerms") },
    { key: { namespaceId: 1, tagTerms: 1, createdAt: -1, _id: -1 }, ...having("tagTerms") },
    // Allows one build for each run of a cron job.
    { key: { cronId: 1, cronDueAt: 1 }, unique: true, ...having("cronDueAt") },
    // Serves the queue: waiting builds, oldest first, and running builds.
    { key: { status: 1, "driver.type": 1, userId: 1, awaitsApproval: 1, createdAt: 1, _id: 1 } },
    {
      key: {
        status: 1,
        "driver.type": 1,
        userId: 1,
        rootId: 1,
        "concurrency.key": 1,
        awaitsApproval: 1,
        createdAt: 1,
        _id: 1,
      },
      partialFilterExpression: { status: "queued" },
    },
    {
      key: { status: 1, "driver.type": 1, userId: 1, "concurrency.key": 1, awaitsApproval: 1, createdAt: 1, _id: 1 },
      ...having("concurrency.key"),
    },
    // Lets one build of a group run at a time.
    {
      key: { "concurrency.key": 1 },
      unique: true,
      partialFilterExpression: { status: "running", "concurrency.key": { $exists: true } },
    },
    // Finds the newest build of a group that kills older ones, and the older ones.
    {
      key: { "concurrency.key": 1, "concurrency.cancel": 1, status: 1, createdAt: -1, _id: -1 },
      ...having("concurrency.cancel"),
    },
    { key: { "concurrency.key": 1, status: 1, createdAt: 1, _id: 1 }, ...having("concurrency.key") },
    { key: { "driver.type": 1, createdAt: 1 }, partialFilterExpression: { status: "queued" } },
    { key: { status: 1, userId: 1 } },
    { key: { status: 1, rootId: 1 } },
    { key: { "lease.until": 1 }, sparse: true },
    { key: { "lease.runnerId": 1 }, sparse: true },
    { key: { "artifacts.blobId": 1 }, sparse: true },
    { key: { artifactBytes: 1, userId: 1 }, sparse: true },
    { key: { userId: 1, artifactBytes: 1, _id: 1 }, partialFilterExpression: { artifactBytes: { $gt: 0 } } },
    { key: { userId: 1, createdAt: -1, _id: -1 }, partialFilterExpression: { artifactBytes: { $gt: 0 } } },
    // Allows one build for each manifest of a hook delivery, however often it is retried.
    { key: { "origin.deliveryId": 1, "origin.path": 1 }, unique: true, ...having("origin.deliveryId") },
    // Allows one build for each key, however often the request is repeated.
    { key: { "idempotency.key": 1 }, unique: true, ...having("idempotency.key") },
    // Finds builds of earlier pushes to a branch or request.
    { key: { "origin.subject": 1, status: 1, "origin.order": -1 }, ...having("origin.subject") },
    { key: { "origin.subject": 1, "origin.order": -1 }, ...having("origin.subject") },
    { key: unapprovedIndex, partialFilterExpression: { awaitsApproval: true } },
    { key: { createdAt: 1 }, name: "unrecorded", ...having("auditEntry") },
    outboxIndex,
  ]);

export async function ensureAllIndexes(db: Db): Promise<void> {
  await ensureBuildIndexes(db);
  await ensureIndexes(db.collection("caches"), [
    { key: { owner: 1, platform: 1, name: 1, key: 1 }, unique: true },
    { key: { owner: 1, platform: 1, name: 1, createdAt: -1, _id: -1 } },
    { key: { owner: 1, createdAt: -1, _id: -1 } },
    { key: { userId: 1, createdAt: -1, _id: -1 } },
    { key: { owner: 1, usedAt: 1, storedSize: 1 } },
    { key: { usedAt: 1 } },
    { key: { blobId: 1 } },
  ]);
  await ensureIndexes(db.collection("tests"), [
    { key: { buildId: 1, epoch: 1, seq: 1 } },
    { key: { buildId: 1, epoch: 1, status: 1, seq: 1 } },
    { key: { buildId: 1, epoch: 1, seconds: -1, seq: 1 } },
    { key: { buildId: 1, epoch: 1, status: 1, seconds: -1, seq: 1 } },
  ]);
  await ensureIndexes(db.collection("crons"), [
    { key: { scope: 1, name: 1 }, unique: true },
    { key: { userId: 1, name: 1, _id: 1 } },
    { key: { rootId: 1, name: 1, _id: 1 }, ...having("rootId") },
    { key: { userId: 1, terms: 1, name: 1, _id: 1 } },
    { key: { rootId: 1, terms: 1, name: 1, _id: 1 }, ...having("rootId") },
    { key: { wakeAt: 1, userId: 1 }, ...having("wakeAt") },
    outboxIndex,
  ]);
  await ensureIndexes(db.collection("groups"), [{ key: { key: 1 }, unique: true, ...having("key") }]);
  await ensureIndexes(db.collection("line"), [{ key: { driver: 1, at: 1, turns: 1, _id: 1 } }]);
  await ensureIndexes(db.collection("runners"), [
    { key: { drivers: 1, at: 1 } },
    { key: { at: 1 }, expireAfterSeconds: 3600 },
  ]);
  await ensureIndexes(db.collection("queueMinutes"), [{ key: { at: 1 }, expireAfterSeconds: 25 * 3600 }]);
  await ensureIndexes(db.collection("output"), [
    { key: { buildId: 1, end: 1 } },
    { key: { buildId: 1, job: 1, jobEnd: 1 } },
  ]);
  await ensureIndexes(db.collection("repositories"), [
    { key: { namespaceId: 1, _id: 1 } },
    { key: { userId: 1 } },
    { key: { urlKey: 1, hasAccessToken: 1, _id: 1 }, ...having("urlKey") },
    { key: { hook: 1 }, partialFilterExpression: { hook: "pending" } },
  ]);
  await ensureIndexes(db.collection("hookRemovals"), [{ key: { dueAt: 1, userId: 1 } }]);
  await ensureIndexes(db.collection("hookDeliveries"), [
    { key: { repositoryId: 1 } },
    { key: { repositoryId: 1, number: -1 }, ...having("number") },
    // Accepts each body once, whatever its delivery id.
    { key: { repositoryId: 1, bodyHash: 1 }, unique: true, ...having("bodyHash") },
    { key: { repositoryId: 1, createdAt: -1 }, ...having("bodyHash") },
    { key: { dueAt: 1, repositoryId: 1 }, ...having("dueAt") },
    { key: { createdAt: 1 } },
    { key: { subject: 1, order: -1 }, ...having("subject") },
    { key: { repositoryId: 1, sha: 1, silent: 1, "change.fork": 1, order: -1, number: -1 }, ...having("sha") },
  ]);
}
