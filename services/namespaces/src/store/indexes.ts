import { ensureIndexes } from "@ci/kit/mongo/mongo";
import { outboxIndex } from "@ci/kit/mongo/outbox";
import type { Db } from "mongodb";

/** Creates the indexes that queries of users, tokens, namespaces and memberships need. */
export async function makeIndexes(db: Db): Promise<void> {
  await ensureIndexes(db.collection("users"), [
    // These indexes cover deleted users too, because their names are never free again.
    { key: { usernameKey: 1 }, unique: true },
    { key: { emailKey: 1 }, unique: true },
    { key: { endedAt: 1, username: 1, _id: 1 } },
    { key: { endedAt: 1, terms: 1, username: 1, _id: 1 } },
    { key: { clearAt: 1 }, sparse: true },
    outboxIndex,
  ]);
  await ensureIndexes(db.collection("tokens"), [
    { key: { hash: 1, deletedAt: 1 }, unique: true },
    { key: { userId: 1, name: 1, bootstrap: 1, deletedAt: 1 }, unique: true },
    { key: { userId: 1, deletedAt: 1, _id: 1 } },
    { key: { deletedAt: 1, _id: 1 } },
    { key: { deletedAt: 1, terms: 1, _id: 1 } },
    { key: { bootstrap: 1 }, sparse: true },
    {
      key: { identityId: 1, deletedAt: 1 },
      unique: true,
      partialFilterExpression: { identityId: { $exists: true } },
    },
    outboxIndex,
  ]);
  await ensureIndexes(db.collection("sessions"), [
    { key: { hash: 1 }, unique: true },
    { key: { userId: 1, deletedAt: 1, _id: -1 } },
    { key: { tokenId: 1 } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    outboxIndex,
  ]);
  await ensureIndexes(db.collection("links"), [
    { key: { userId: 1, createdAt: -1 } },
    { key: { tokenId: 1 } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ]);
  await ensureIndexes(db.collection("identities"), [
    { key: { issuer: 1, subject: 1 }, unique: true },
    { key: { userId: 1, _id: 1 } },
  ]);
  await ensureIndexes(db.collection("namespaces"), [
    // Names are unique per parent. Unique paths would let the remains of a deleted tree block a new one.
    { key: { userId: 1, parentId: 1, name: 1, endedAt: 1 }, unique: true },
    { key: { userId: 1, endedAt: 1, path: 1, _id: 1 } },
    { key: { rootId: 1, endedAt: 1, path: 1, _id: 1 } },
    { key: { parentId: 1, endedAt: 1, path: 1, _id: 1 } },
    { key: { userId: 1, endedAt: 1, terms: 1, path: 1, _id: 1 } },
    { key: { rootId: 1, endedAt: 1, terms: 1, path: 1, _id: 1 } },
    {
      key: { parentId: 1, endedAt: 1, terms: 1, path: 1, _id: 1 },
      partialFilterExpression: { parentId: { $exists: true } },
    },
    { key: { line: 1, endedAt: 1 } },
    { key: { clearAt: 1 }, sparse: true },
    outboxIndex,
  ]);
  await ensureIndexes(db.collection("memberships"), [
    { key: { rootId: 1, inviteeId: 1, deletedAt: 1 }, unique: true },
    { key: { rootId: 1, deletedAt: 1, joinedAt: 1, _id: 1 } },
    { key: { rootId: 1, joinedAt: 1, _id: 1 } },
    { key: { inviteeId: 1, deletedAt: 1, joinedAt: 1, _id: 1 } },
    { key: { inviteeId: 1, joinedAt: 1, rootId: 1 } },
    { key: { inviterId: 1, deletedAt: 1, joinedAt: 1 } },
    { key: { namespaceId: 1, deletedAt: 1, joinedAt: 1 } },
    { key: { deletedAt: 1 }, sparse: true },
    { key: { identityId: 1, joinedAt: 1 }, partialFilterExpression: { identityId: { $exists: true } } },
    outboxIndex,
  ]);
}
