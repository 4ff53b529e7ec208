import type { OutboxEvent } from "@ci/kit/mongo/document";
import { listPage } from "@ci/kit/mongo/listing";
import type { Nudge } from "@ci/kit/mongo/outbox";
import { page } from "@ci/kit/mongo/page";
import { countQuota, quotaComplaints, withinQuotas } from "@ci/kit/mongo/quota";
import { searchFilter, termsOf } from "@ci/kit/mongo/search";
import type { Fields } from "@ci/kit/rpc/fault";
import type { Db } from "mongodb";
import type { Quotas } from "../config.js";
import type { TokenDoc } from "../domain/token.js";

const live = { deletedAt: { $exists: false } } as const;
const usedPrecisionMs = 60_000;

export const tokenStore = (db: Db, nudge: Nudge, limits: Quotas) => {
  const tokens = db.collection<TokenDoc>("tokens");
  const quotas = (userId: number) => [countQuota(tokens, { userId, ...live }, limits.tokens)];

  async function remove(id: number, at: Date, event: OutboxEvent): Promise<void> {
    await tokens.updateOne({ _id: id, ...live }, { $set: { deletedAt: at }, $push: { outbox: event } });
    nudge(tokens as never, id);
  }

  return {
    quotaComplaints: (userId: number): Promise<Fields> => quotaComplaints(quotas(userId)),

    /** Stores a new token with its event. Throws a duplicate key error if its user has one of that name. */
    async insert(doc: TokenDoc): Promise<void> {
      // A quota must not lock out the administrator or the user of an identity.
      const limited = doc.bootstrap || doc.identityId !== undefined ? [] : quotas(doc.userId);
      await withinQuotas(db, limited, doc._id, () => tokens.insertOne({ ...doc, terms: termsOf([doc.name]) }));
      nudge(tokens as never, doc._id);
    },

    byHash: (hash: string): Promise<TokenDoc | null> => tokens.findOne({ hash, ...live }),

    byId: (id: number): Promise<TokenDoc | null> => tokens.findOne({ _id: id, ...live }),

    ofIdentity: (identityId: number): Promise<TokenDoc | null> => tokens.findOne({ identityId, ...live }),

    /** Sets the scope of an identity's token; null if it has none. */
    regrantIdentity: (identityId: number, scope: string): Promise<TokenDoc | null> =>
      tokens.findOneAndUpdate({ identityId, ...live }, { $set: { scope } }, { returnDocument: "after" }),

    async hasName(userId: number, name: string): Promise<boolean> {
      return (await tokens.findOne({ userId, name, bootstrap: { $exists: false }, ...live })) !== null;
    },

    list(userId: number, number: number | undefined) {
      const filter = { userId, ...live };
      return page(tokens.find(filter).sort({ _id: 1 }), number, (options) => tokens.countDocuments(filter, options));
    },

    /** Lists the tokens of all users or of one, newest first. */
    listAll({ userId, search }: { userId: number | undefined; search: string }, number: number | undefined) {
      const filter = { ...(userId === undefined ? {} : { userId }), ...live, ...searchFilter("name", search) };
      return listPage(tokens, [filter], { _id: -1 }, number);
    },

    /** Records the time a token was used, at most once a minute. */
    async used(token: TokenDoc, at: Date): Promise<void> {
      const before = new Date(at.getTime() - usedPrecisionMs);
      if (token.lastUsedAt && token.lastUsedAt > before) return;
      const stale = [{ lastUsedAt: { $exists: false } }, { lastUsedAt: { $lte: before } }];
      await tokens.updateOne({ _id: token._id, ...live, $or: stale }, { $set: { lastUsedAt: at } });
    },

    /** Deletes a token. Safe to repeat. */
    remove,

    ofUser: (userId: number): Promise<TokenDoc[]> => tokens.find({ userId, ...live }).toArray(),

    fromSettings: (): Promise<TokenDoc[]> => tokens.find({ bootstrap: true, ...live }).toArray(),

    /** Sets the scope of the bootstrap token with this secret; false if there is none. */
    async regrant(hash: string, userId: number, scope: string): Promise<boolean> {
      const { matchedCount } = await tokens.updateOne({ hash, userId, bootstrap: true, ...live }, { $set: { scope } });
      return matchedCount > 0;
    },
  };
};

export type TokenStore = ReturnType<typeof tokenStore>;
