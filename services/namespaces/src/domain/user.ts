import type { OutboxEvent, Stored } from "@ci/kit/mongo/document";
import type { User } from "@ci/proto/namespaces/v1/accounts";

/** A user as it is kept, also after deletion: usernames and e-mails are not given out again. */
export interface UserDoc extends Omit<Stored<User>, "deletedAt"> {
  /** Lower case, so that names compare without regard to case. */
  readonly usernameKey: string;
  readonly emailKey: string;
  /** What the user is found by when usernames are searched; the store makes them. */
  readonly terms?: readonly string[];
  readonly outbox: OutboxEvent[];
  readonly endedAt?: Date;
  /** When what the deletion entails is to be done, or done once more. */
  readonly clearAt?: Date;
}

export const toUser = (doc: UserDoc): User => ({
  id: doc._id,
  email: doc.email,
  username: doc.username,
  admin: doc.admin,
  createdAt: doc.createdAt,
  deletedAt: doc.endedAt,
});

/** A new user. */
export const newUser = (of: { id: number; username: string; email: string; admin: boolean; at: Date }): UserDoc => ({
  _id: of.id,
  username: of.username,
  usernameKey: keyOf(of.username),
  email: of.email,
  emailKey: keyOf(of.email),
  admin: of.admin,
  createdAt: of.at,
  outbox: [],
});

/** The text by which usernames and e-mails are compared. */
export const keyOf = (name: string): string => name.toLowerCase();

/** What is wrong with a username. */
export function usernameComplaints(username: string): string[] {
  if (username === "") return ["Username field required"];
  const isLength = username.length >= 3 && username.length <= 30;
  return [
    ...(isLength ? [] : ["Username must be between 3 and 30 characters in length"]),
    ...(/^[a-zA-Z0-9][a-zA-Z0-9.-]*$/.test(username)
      ? []
      : ["Username can only have letters, numbers, dots, and dashes"]),
  ];
}

/** What is wrong with an e-mail address. */
export function emailComplaints(email: string): string[] {
  if (email === "") return ["Email field required"];
  return email.includes("@") && email.length <= 254 ? [] : ["Email invalid email address"];
}
