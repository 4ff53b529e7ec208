import type { User } from "@ci/proto/namespaces/v1/accounts";
import { z } from "zod";
import type { Relations } from "./relations.js";
import { id, record, timestamp } from "./schema.js";
import { time } from "./time.js";

const fields = {
  id: id.describe("Id of the user"),
  email: z.string().describe("E-mail address of the user"),
  username: z.string().describe("Name of the user, as it appears in URLs"),
};

export const userSchema = record("User", "A user inside another record", {
  ...fields,
  created_at: timestamp.nullable().describe("When the user was created; null if the user is unknown"),
});

export const accountSchema = record("Account", "A user", {
  ...fields,
  created_at: timestamp.describe("When the user was created"),
  admin: z.boolean().describe("Whether the user administers this installation"),
});

const userFields = ({ id, email, username, createdAt }: User) => ({ id, email, username, created_at: time(createdAt) });

/**
 * Returns the copy of a user for other records, even after the user is deleted. An unknown id gets a username that no
 * account can have, so that no URL made from it leads to another user.
 */
export const userEmbed = (userId: number, { users }: Relations): z.output<typeof userSchema> => {
  const user = users.get(userId);
  return user ? userFields(user) : { id: userId, email: "", username: "-", created_at: null };
};

/** Returns a user for /user and /users. */
export const userJson = (user: User): z.output<typeof accountSchema> => ({ ...userFields(user), admin: user.admin });
