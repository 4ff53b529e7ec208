import type { User } from "@ci/proto/namespaces/v1/accounts";
import type { Relations } from "./relations.js";
import { time } from "./time.js";

const shown = ({ id, email, username, createdAt }: User) => ({ id, email, username, created_at: time(createdAt) });

/**
 * The copy of a user inside other records. Deleted users keep theirs. An id that nobody knows gets a username
 * that no account can have, so that no URL made with it leads to somebody else.
 */
export const userEmbed = (userId: number, known: Relations) => {
  const user = known.users.get(userId);
  return user ? shown(user) : { id: userId, email: "", username: "-", created_at: null };
};

/** A user as /user and /users show them. */
export const userJson = (user: User) => ({ ...shown(user), admin: user.admin });
