import { duplicateKey } from "@ci/kit/mongo/duplicates";
import { page } from "@ci/kit/mongo/page";
import type { Db } from "mongodb";
import type { IdentityDoc } from "../domain/identity.js";

export const identityStore = (db: Db) => {
  const identities = db.collection<IdentityDoc>("identities");

  return {
    find: (issuer: string, subject: string): Promise<IdentityDoc | null> => identities.findOne({ issuer, subject }),

    /** Stores an identity. Returns the stored one, which may already belong to another user. */
    async insert(doc: IdentityDoc): Promise<IdentityDoc | null> {
      try {
        await identities.insertOne(doc);
        return doc;
      } catch (error) {
        if (duplicateKey(error)) return identities.findOne({ issuer: doc.issuer, subject: doc.subject });
        throw error;
      }
    },

    ofUser: (userId: number, id: number): Promise<IdentityDoc | null> => identities.findOne({ _id: id, userId }),

    count: (userId: number): Promise<number> => identities.countDocuments({ userId }),

    list: (userId: number, number: number | undefined) =>
      page(identities.find({ userId }).sort({ _id: 1 }), number, (options) =>
        identities.countDocuments({ userId }, options),
      ),

    /** Records a sign-in; false if the identity no longer exists. */
    async used(id: number, name: string, at: Date): Promise<boolean> {
      return (await identities.updateOne({ _id: id }, { $set: { name, lastUsedAt: at } })).matchedCount > 0;
    },

    async remove(id: number): Promise<void> {
      await identities.deleteOne({ _id: id });
    },

    async removeOfUser(userId: number): Promise<void> {
      await identities.deleteMany({ userId });
    },
  };
};

export type IdentityStore = ReturnType<typeof identityStore>;
