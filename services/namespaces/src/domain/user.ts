import type { OutboxEvent, Stored } from "@ci/kit/mongo/document";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { User } from "@ci/proto/namespaces/v1/accounts";

/** A stored user. Deleted users stay, so that usernames and e-mails are never reused. */
export interface UserDoc extends Omit<Stored<User>, "deletedAt"> {
  /** In lower case, because comparison ignores case. */
  readonly usernameKey: string;
  readonly emailKey: string;
  readonly terms?: readonly string[];
  readonly outbox: OutboxEvent[];
  readonly endedAt?: Date;
  /** When to clear all below the deleted user. */
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

export const newUser = (fields: {
  id: number;
  username: string;
  email: string;
  admin: boolean;
  at: Date;
}): UserDoc => ({
  _id: fields.id,
  username: fields.username,
  usernameKey: keyOf(fields.username),
  email: fields.email,
  emailKey: keyOf(fields.email),
  admin: fields.admin,
  createdAt: fields.at,
  outbox: [],
});

/** Returns the key that usernames and e-mails are compared by. */
export const keyOf = (name: string): string => name.toLowerCase();

export const maxUsernameLength = fixedLimit({
  max: 30,
  about: "characters of a username",
  refusal: "Username must be between 3 and N characters in length",
});
const maxEmailLength = fixedLimit({
  max: 254,
  about: "characters of an e-mail address",
  refusal: "Email invalid email address",
});

export function usernameComplaints(username: string): string[] {
  if (username === "") return ["Username field required"];
  const isLength = username.length >= 3 && username.length <= maxUsernameLength;
  return [
    ...(isLength ? [] : [`Username must be between 3 and ${maxUsernameLength} characters in length`]),
    ...(/^[a-zA-Z0-9][a-zA-Z0-9.-]*$/.test(username)
      ? []
      : ["Username can only have letters, numbers, dots, and dashes"]),
  ];
}

export function emailComplaints(email: string): string[] {
  if (email === "") return ["Email field required"];
  return email.includes("@") && email.length <= maxEmailLength ? [] : ["Email invalid email address"];
}
