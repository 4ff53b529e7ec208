import type { OutboxEvent } from "@ci/kit/mongo/document";
import { listPage } from "@ci/kit/mongo/listing";
import type { Nudge } from "@ci/kit/mongo/outbox";
import { searchFilter, termsOf } from "@ci/kit/mongo/search";
import type { Db } from "mongodb";
import { keyOf, type UserDoc } from "../domain/user.js";

const live = { endedAt: { $exists: false } } as const;
const ended = { endedAt: { $exists: true } } as const;

export const userStore = (db: Db, nudge: Nudge) => {
  const users = db.collection<UserDoc>("users");
  const nudged = <T extends UserDoc | null>(doc: T): T => {
    if (doc) nudge(users as never, doc._id);
    return doc;
  };

  return {
    /** Stores a new user with its event. Throws a duplicate key error if the username or e-mail is taken. */
    async insert(doc: UserDoc): Promise<void> {
      await users.insertOne({ ...doc, terms: termsOf([doc.username]) });
      nudged(doc);
    },

    /** Includes deleted users. */
    byIds: (ids: readonly number[]): Promise<UserDoc[]> => users.find({ _id: { $in: [...ids] } }).toArray(),

    /** Includes deleted users. */
    byUsername: (username: string): Promise<UserDoc | null> => users.findOne({ usernameKey: keyOf(username) }),

    /** Includes deleted users. */
    withKeys: (usernameKeys: readonly string[]): Promise<UserDoc[]> =>
      users.find({ usernameKey: { $in: [...usernameKeys] } }).toArray(),

    /** Finds a user by username or e-mail; a username has no `@`. Includes deleted users. */
    byHandle: (handle: string): Promise<UserDoc | null> =>
      handle.includes("@") ? users.findOne({ emailKey: keyOf(handle) }) : users.findOne({ usernameKey: keyOf(handle) }),

    list: (search: string, number: number | undefined) =>
      listPage(users, [{ ...live, ...searchFilter("username", search) }], { username: 1, _id: 1 }, number),

    async promote(id: number, event: OutboxEvent): Promise<void> {
      const change = { $set: { admin: true }, $push: { outbox: event } };
      nudged(await users.findOneAndUpdate({ _id: id, admin: false }, change));
    },

    /** Deletes a user; null if already deleted. */
    async end(id: number, at: Date, event: OutboxEvent): Promise<UserDoc | null> {
      const change = { $set: { endedAt: at, clearAt: at }, $push: { outbox: event } };
      return nudged(await users.findOneAndUpdate({ _id: id, ...live }, change, { returnDocument: "after" }));
    },

    toClear: (at: Date): Promise<UserDoc[]> =>
      users
        .find({ clearAt: { $lte: at } })
        .limit(100)
        .toArray(),

    async cleared(id: number): Promise<void> {
      await users.updateOne({ _id: id, ...ended }, { $unset: { clearAt: "" } });
    },

    /** Reports which of the two are taken. One query finds both names of a concurrently created user, or neither. */
    async takenNames(username: string, email: string): Promise<{ username: boolean; email: boolean }> {
      const [usernameKey, emailKey] = [keyOf(username), keyOf(email)];
      const found = await users.find({ $or: [{ usernameKey }, { emailKey }] }).toArray();
      return {
        username: found.some((user) => user.usernameKey === usernameKey),
        email: found.some((user) => user.emailKey === emailKey),
      };
    },
  };
};

export type UserStore = ReturnType<typeof userStore>;
