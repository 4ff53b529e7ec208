import type { OutboxEvent } from "@ci/kit/mongo/document";
import { insertedUnlessTaken } from "@ci/kit/mongo/duplicates";
import { listPage, type Order } from "@ci/kit/mongo/listing";
import type { Nudge } from "@ci/kit/mongo/outbox";
import { countQuota, type Quota, quotaComplaints, withinQuotas } from "@ci/kit/mongo/quota";
import type { Fields } from "@ci/kit/rpc/fault";
import type { Collection, Db, Filter } from "mongodb";
import type { Quotas } from "../config.js";
import type { MembershipDoc } from "../domain/membership.js";

const live = { deletedAt: { $exists: false } } as const;
const open = { joinedAt: { $exists: false }, ...live } as const;
// Unlike $exists, this bound lets an index skip the invites, which lack joinedAt and so come first.
const joined = { joinedAt: { $gt: new Date(0) } } as const;

const queries = (memberships: Collection<MembershipDoc>) => ({
  of: (rootId: number, inviteeId: number): Promise<MembershipDoc | null> =>
    memberships.findOne({ rootId, inviteeId, ...live }),

  ofIdentity: (identityId: number): Promise<MembershipDoc[]> => memberships.find({ identityId, ...joined }).toArray(),

  openInvite: (id: number): Promise<MembershipDoc | null> => memberships.findOne({ _id: id, ...open }),

  /** Returns the roots that a user collaborates on, limited to `among` if given. */
  async rootsOf(userId: number, among?: readonly number[]): Promise<number[]> {
    const filter = { inviteeId: userId, ...joined, ...(among ? { rootId: { $in: [...among] } } : {}) };
    // An index covers this query.
    const found = await memberships.find(filter).project<{ rootId: number }>({ _id: 0, rootId: 1 }).toArray();
    return found.map(({ rootId }) => rootId);
  },
});

const lists = (memberships: Collection<MembershipDoc>) => {
  const pageOf = (filter: Filter<MembershipDoc>, number: number | undefined, order: Order) =>
    listPage(memberships, [filter], order, number);

  return {
    collaborators: (rootId: number, number: number | undefined) =>
      pageOf({ rootId, ...joined }, number, { joinedAt: 1, _id: 1 }),
    invitesOf: (rootId: number, number: number | undefined) => pageOf({ rootId, ...open }, number, { _id: 1 }),
    invitesTo: (inviteeId: number, number: number | undefined) => pageOf({ inviteeId, ...open }, number, { _id: 1 }),
  };
};

const changes = (db: Db, memberships: Collection<MembershipDoc>, nudge: Nudge, limits: Quotas) => {
  const quotas = (rootId: number): Quota[] => [countQuota(memberships, { rootId, ...live }, limits.collaborators)];
  const nudged = <T extends MembershipDoc | null>(doc: T): T => {
    if (doc) nudge(memberships as never, doc._id);
    return doc;
  };

  return {
    quotaComplaints: (rootId: number): Promise<Fields> => quotaComplaints(quotas(rootId)),

    /** Stores an invite with its event; false if the user is already invited or a collaborator. */
    async insert(doc: MembershipDoc): Promise<boolean> {
      const insert = () => memberships.insertOne(doc);
      const isInserted = await insertedUnlessTaken(withinQuotas(db, quotas(doc.rootId), doc._id, insert));
      if (isInserted) nudged(doc);
      return isInserted;
    },

    /** Turns an open invite into a collaboration; null if the invite is not open. */
    async accept(id: number, at: Date, events: OutboxEvent[]): Promise<MembershipDoc | null> {
      const change = { $set: { joinedAt: at }, $push: { outbox: { $each: events } } };
      return nudged(await memberships.findOneAndUpdate({ _id: id, ...open }, change, { returnDocument: "after" }));
    },

    /** Removes an open invite; false if it is not open. */
    async withdraw(id: number, at: Date, events: OutboxEvent[]): Promise<boolean> {
      const change = { $set: { deletedAt: at }, $push: { outbox: { $each: events } } };
      return nudged(await memberships.findOneAndUpdate({ _id: id, ...open }, change)) !== null;
    },

    /** Ends a collaboration; false if there is none. */
    async leave(id: number, at: Date, event: OutboxEvent): Promise<boolean> {
      const change = { $set: { deletedAt: at }, $unset: { joinedAt: true }, $push: { outbox: event } } as const;
      return nudged(await memberships.findOneAndUpdate({ _id: id, ...joined }, change)) !== null;
    },
  };
};

const deletions = (memberships: Collection<MembershipDoc>) => ({
  /** Returns the memberships that end with these namespaces: those of their trees, and invites that name them. */
  ofNamespaces: (ids: readonly number[]): Promise<MembershipDoc[]> =>
    memberships
      .find({
        $or: [
          { rootId: { $in: [...ids] }, ...live },
          { namespaceId: { $in: [...ids] }, ...open },
        ],
      })
      .toArray(),

  /** Returns the memberships that end with a user: their own, and the invites they sent. */
  ofUser: (userId: number): Promise<MembershipDoc[]> =>
    memberships
      .find({
        $or: [
          { inviteeId: userId, ...live },
          { inviterId: userId, ...open },
        ],
      })
      .toArray(),

  /** Removes memberships that were deleted without an event, if the process crashed before the relay did it. */
  async removeDeleted(): Promise<number> {
    return (await memberships.deleteMany({ deletedAt: { $exists: true }, outbox: { $size: 0 } })).deletedCount;
  },
});

export const membershipStore = (db: Db, nudge: Nudge, limits: Quotas) => {
  const memberships = db.collection<MembershipDoc>("memberships");
  return {
    ...queries(memberships),
    ...lists(memberships),
    ...changes(db, memberships, nudge, limits),
    ...deletions(memberships),
  };
};

export type MembershipStore = ReturnType<typeof membershipStore>;
