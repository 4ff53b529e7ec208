import type { OutboxEvent } from "@ci/kit/mongo/document";
import { page } from "@ci/kit/mongo/mongo";
import type { Nudge } from "@ci/kit/mongo/outbox";
import type { Db } from "mongodb";
import { type LinkDoc, maxLinks, type SessionDoc } from "../domain/session.js";

const live = { deletedAt: { $exists: false } } as const;
const usedPrecisionMs = 60_000;
/** Most sessions that one sign-in ends, and links that a new one replaces. */
const maxEnded = 100;

type Tokens = { readonly only: number } | { readonly except: readonly number[] };

export const sessionStore = (db: Db, nudge: Nudge) => {
  const sessions = db.collection<SessionDoc>("sessions");
  const links = db.collection<LinkDoc>("links");

  /** Ends a session. Safe to repeat. */
  async function remove(id: number, at: Date, event: OutboxEvent): Promise<void> {
    await sessions.updateOne({ _id: id, ...live }, { $set: { deletedAt: at }, $push: { outbox: event } });
    nudge(sessions as never, id);
  }

  return {
    remove,

    insert: (doc: SessionDoc) => sessions.insertOne(doc),

    byHash: (hash: string): Promise<SessionDoc | null> => sessions.findOne({ hash, ...live }),

    byId: (id: number): Promise<SessionDoc | null> => sessions.findOne({ _id: id, ...live }),

    ofUser: (userId: number, id: number): Promise<SessionDoc | null> => sessions.findOne({ _id: id, userId, ...live }),

    list(userId: number, now: Date, number: number | undefined) {
      const filter = { userId, ...live, expiresAt: { $gt: now } };
      return page(sessions.find(filter).sort({ _id: -1 }), number, () => sessions.countDocuments(filter));
    },

    /** Returns how many too many a user's sessions up to this one are, or how many one sign-in ends, if that is less. */
    async excess({ _id, userId }: SessionDoc, max: number, now: Date): Promise<number> {
      const filter = { userId, ...live, _id: { $lte: _id }, expiresAt: { $gt: now } };
      return Math.max(0, (await sessions.countDocuments(filter, { limit: max + maxEnded })) - max);
    },

    /** Returns the oldest of a user's sessions that are older than this one, of one token or of all but some. */
    oldestBefore({ _id, userId }: SessionDoc, tokens: Tokens, now: Date, count: number): Promise<SessionDoc[]> {
      const tokenId = "only" in tokens ? tokens.only : { $nin: tokens.except };
      const earlier = { userId, ...live, _id: { $lt: _id }, expiresAt: { $gt: now }, tokenId };
      return sessions.find(earlier).sort({ _id: 1 }).limit(count).toArray();
    },

    /** Records the time a session was used, at most once a minute. */
    async used({ _id, lastUsedAt }: SessionDoc, at: Date): Promise<void> {
      if (lastUsedAt && lastUsedAt.getTime() > at.getTime() - usedPrecisionMs) return;
      await sessions.updateOne({ _id, ...live }, { $max: { lastUsedAt: at } });
    },

    /** Deletes the sessions and links of an ended token. */
    async forgetToken(tokenId: number): Promise<void> {
      await sessions.deleteMany({ tokenId });
      await links.deleteMany({ tokenId });
    },

    async insertLink(doc: LinkDoc): Promise<void> {
      await links.insertOne(doc);
      const { userId, tokenId } = doc;
      const newestFirst = links.find({ userId, tokenId }).sort({ createdAt: -1 });
      const old = await newestFirst.skip(maxLinks).limit(maxEnded).toArray();
      if (old.length > 0) await links.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } });
    },

    /** Deletes and returns a link, so that it works once; null if it was used or has expired. */
    takeLink: (hash: string, now: Date): Promise<LinkDoc | null> =>
      links.findOneAndDelete({ _id: hash, expiresAt: { $gt: now } }),
  };
};

export type SessionStore = ReturnType<typeof sessionStore>;
