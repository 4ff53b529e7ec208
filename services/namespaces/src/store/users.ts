import type { OutboxEvent } from "@ci/kit/mongo/document";
import { listPage } from "@ci/kit/mongo/listing";
import { searchFilter, termsOf } from "@ci/kit/mongo/search";
import type { Collection, Db } from "mongodb";
import { keyOf, type UserDoc } from "../domain/user.js";

const live = { endedAt: { $exists: false } } as const;
const ended = { endedAt: { $exists: true } } as const;

/** The users, deleted ones included where it says so. */
export const userStore = (db: Db, news: (collection: Collection<never>, id: number) => void) => {
  const users = db.collection<UserDoc>("users");
  const told = <T extends UserDoc | null>(doc: T): T => {
    if (doc) news(users as never, doc._id);
    return doc;
  };

  return {
    /** Stores a new user with its event; throws a duplicate key when username or e-mail is taken. */
    async insert(doc: UserDoc): Promise<void> {
      await users.insertOne({ ...doc, terms: termsOf([doc.username]) });
      told(doc);
    },

    /** Deleted ones included. */
    byIds: (ids: readonly number[]): Promise<UserDoc[]> => users.find({ _id: { $in: [...ids] } }).toArray(),

    /** Deleted ones included. */
    byUsername: (username: string): Promise<UserDoc | null> => users.findOne({ usernameKey: keyOf(username) }),

    /** By username or e-mail; no e-mail is a username. Deleted ones included. */
    byHandle: (handle: string): Promise<UserDoc | null> =>
      handle.includes("@") ? users.findOne({ emailKey: keyOf(handle) }) : users.findOne({ usernameKey: keyOf(handle) }),

    list: (search: string, number: number | undefined) =>
      listPage(users, [{ ...live, ...searchFilter("username", search) }], { username: 1, _id: 1 }, number),

    /** Makes a user an admin. */
    async promote(id: number, event: OutboxEvent): Promise<void> {
      const change = { $set: { admin: true }, $push: { outbox: event } };
      told(await users.findOneAndUpdate({ _id: id, admin: false }, change));
    },

    /** Deletes a user; null if that was done before. */
    async end(id: number, at: Date, event: OutboxEvent): Promise<UserDoc | null> {
      const change = { $set: { endedAt: at, clearAt: at }, $push: { outbox: event } };
      return told(await users.findOneAndUpdate({ _id: id, ...live }, change, { returnDocument: "after" }));
    },

    /** Deleted users whose deletion entails something now. */
    toClear: (at: Date): Promise<UserDoc[]> =>
      users
        .find({ clearAt: { $lte: at } })
        .limit(100)
        .toArray(),

    /** Notes that what a deletion entails is done. */
    async cleared(id: number): Promise<void> {
      await users.updateOne({ _id: id, ...ended }, { $unset: { clearAt: "" } });
    },

    /** Which of the two names somebody has already. One query: of a user who is being made it finds both or none. */
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
