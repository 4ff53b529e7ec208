import type { OutboxEvent } from "@ci/kit/mongo/document";
import { listPage, type Order } from "@ci/kit/mongo/listing";
import { duplicateKey } from "@ci/kit/mongo/mongo";
import type { Collection, Db, Filter } from "mongodb";
import type { MembershipDoc } from "../domain/membership.js";

const live = { deletedAt: { $exists: false } } as const;
const open = { joinedAt: { $exists: false }, ...live } as const;
// A bound and not $exists: an index holds the invites, which have none, before all who have joined.
const joined = { joinedAt: { $gt: new Date(0) } } as const;

/** Invites and collaborations. */
export const membershipStore = (db: Db, news: (collection: Collection<never>, id: number) => void) => {
  const memberships = db.collection<MembershipDoc>("memberships");
  const told = <T extends MembershipDoc | null>(doc: T): T => {
    if (doc) news(memberships as never, doc._id);
    return doc;
  };
  const pageOf = (filter: Filter<MembershipDoc>, number: number | undefined, order: Order) =>
    listPage(memberships, [filter], order, number);

  return {
    /** Stores an invite with its event. False if there is an invite or a collaboration of this user already. */
    async insert(doc: MembershipDoc): Promise<boolean> {
      try {
        await memberships.insertOne(doc);
      } catch (error) {
        if (duplicateKey(error)) return false;
        throw error;
      }
      told(doc);
      return true;
    },

    /** The invite or the collaboration of a user in a tree. */
    of: (rootId: number, inviteeId: number): Promise<MembershipDoc | null> =>
      memberships.findOne({ rootId, inviteeId, ...live }),

    openInvite: (id: number): Promise<MembershipDoc | null> => memberships.findOne({ _id: id, ...open }),

    /** Turns an invite into a collaboration; null if it is open no more. */
    async accept(id: number, at: Date, events: OutboxEvent[]): Promise<MembershipDoc | null> {
      const change = { $set: { joinedAt: at }, $push: { outbox: { $each: events } } };
      return told(await memberships.findOneAndUpdate({ _id: id, ...open }, change, { returnDocument: "after" }));
    },

    /** Removes an invite that is still open; false if it is not. */
    async withdraw(id: number, at: Date, events: OutboxEvent[]): Promise<boolean> {
      const change = { $set: { deletedAt: at }, $push: { outbox: { $each: events } } };
      return told(await memberships.findOneAndUpdate({ _id: id, ...open }, change)) !== null;
    },

    /** Ends a collaboration; false if there is none. */
    async leave(id: number, at: Date, event: OutboxEvent): Promise<boolean> {
      const change = { $set: { deletedAt: at }, $unset: { joinedAt: true }, $push: { outbox: event } } as const;
      return told(await memberships.findOneAndUpdate({ _id: id, ...joined }, change)) !== null;
    },

    /** Of these roots, or of all, those a user collaborates on. */
    async rootsOf(userId: number, among?: readonly number[]): Promise<number[]> {
      const filter = { inviteeId: userId, ...joined, ...(among ? { rootId: { $in: [...among] } } : {}) };
      // Answered from the index alone.
      const found = await memberships.find(filter).project<{ rootId: number }>({ _id: 0, rootId: 1 }).toArray();
      return found.map(({ rootId }) => rootId);
    },

    collaborators: (rootId: number, number: number | undefined) =>
      pageOf({ rootId, ...joined }, number, { joinedAt: 1, _id: 1 }),
    invitesOf: (rootId: number, number: number | undefined) => pageOf({ rootId, ...open }, number, { _id: 1 }),
    invitesTo: (inviteeId: number, number: number | undefined) => pageOf({ inviteeId, ...open }, number, { _id: 1 }),

    /** What the deletion of namespaces takes along: memberships of these as roots, and invites that name them. */
    ofNamespaces: (ids: readonly number[]): Promise<MembershipDoc[]> =>
      memberships
        .find({
          $or: [
            { rootId: { $in: [...ids] }, ...live },
            { namespaceId: { $in: [...ids] }, ...open },
          ],
        })
        .toArray(),

    /** What the deletion of a user takes along: their memberships, and the invites they sent. */
    ofUser: (userId: number): Promise<MembershipDoc[]> =>
      memberships
        .find({
          $or: [
            { inviteeId: userId, ...live },
            { inviterId: userId, ...open },
          ],
        })
        .toArray(),

    /** Removes what was deleted without an event, if the process died before the relay was told. */
    async tidy(): Promise<void> {
      await memberships.deleteMany({ deletedAt: { $exists: true }, outbox: { $size: 0 } });
    },
  };
};

export type MembershipStore = ReturnType<typeof membershipStore>;
