import type { OutboxEvent } from "@ci/kit/mongo/document";
import type { Nudge } from "@ci/kit/mongo/outbox";
import { page } from "@ci/kit/mongo/page";
import type { Db } from "mongodb";
import { type LinkDoc, maxLinks, type SessionDoc } from "../domain/session.js";

const live = { deletedAt: { $exists: false } } as const;
const usedPrecisionMs = 60_000;
/** Most sessions that one sign-in ends, and links that a new one replaces. */
const maxEnded = 100;

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
      return page(sessions.find(filter).sort({ _id: -1 }), number, (options) =>
        sessions.countDocuments(filter, options),
      );
    },

    /** Returns a user's oldest sessions: `max` and as many more as one sign-in ends. */
    oldest: (userId: number, max: number, now: Date): Promise<SessionDoc[]> =>
      sessions
        .find({ userId, ...live, expiresAt: { $gt: now } })
        .sort({ _id: 1 })
        .limit(max + maxEnded)
        .toArray(),

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
