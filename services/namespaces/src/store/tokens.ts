import type { OutboxEvent } from "@ci/kit/mongo/document";
import { page } from "@ci/kit/mongo/mongo";
import type { Collection, Db } from "mongodb";
import type { TokenDoc } from "../domain/token.js";

const live = { deletedAt: { $exists: false } } as const;
const usedAgainAfterMs = 60_000;

/** The tokens. */
export const tokenStore = (db: Db, news: (collection: Collection<never>, id: number) => void) => {
  const tokens = db.collection<TokenDoc>("tokens");

  async function remove(id: number, at: Date, event: OutboxEvent): Promise<void> {
    await tokens.updateOne({ _id: id, ...live }, { $set: { deletedAt: at }, $push: { outbox: event } });
    news(tokens as never, id);
  }

  return {
    /** Stores a new token with its event; throws a duplicate key when the user has one of that name. */
    async insert(doc: TokenDoc): Promise<void> {
      await tokens.insertOne(doc);
      news(tokens as never, doc._id);
    },

    byHash: (hash: string): Promise<TokenDoc | null> => tokens.findOne({ hash, ...live }),

    byId: (id: number): Promise<TokenDoc | null> => tokens.findOne({ _id: id, ...live }),

    async hasName(userId: number, name: string): Promise<boolean> {
      return (await tokens.findOne({ userId, name, bootstrap: { $exists: false }, ...live })) !== null;
    },

    list(userId: number, number: number | undefined) {
      const filter = { userId, ...live };
      return page(tokens.find(filter).sort({ _id: 1 }), number, () => tokens.countDocuments(filter));
    },

    /** Notes that a token was used, unless that was noted in the last minute. */
    async used(token: TokenDoc, at: Date): Promise<void> {
      const before = new Date(at.getTime() - usedAgainAfterMs);
      if (token.lastUsedAt && token.lastUsedAt > before) return;
      const stale = [{ lastUsedAt: { $exists: false } }, { lastUsedAt: { $lte: before } }];
      await tokens.updateOne({ _id: token._id, ...live, $or: stale }, { $set: { lastUsedAt: at } });
    },

    /** Deletes a token; harmless if that was done before. */
    remove,

    /** All of a user's. */
    ofUser: (userId: number): Promise<TokenDoc[]> => tokens.find({ userId, ...live }).toArray(),

    /** Those made from the settings. */
    fromSettings: (): Promise<TokenDoc[]> => tokens.find({ bootstrap: true, ...live }).toArray(),

    /** Sets what the bootstrap token of this secret grants; false if there is none. */
    async regrant(hash: string, userId: number, scope: string): Promise<boolean> {
      const { matchedCount } = await tokens.updateOne({ hash, userId, bootstrap: true, ...live }, { $set: { scope } });
      return matchedCount > 0;
    },
  };
};

export type TokenStore = ReturnType<typeof tokenStore>;
