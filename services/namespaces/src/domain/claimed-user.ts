import { randomInt } from "node:crypto";
import { emailComplaints, keyOf, maxUsernameLength } from "./user.js";

const minUsernameLength = 3;
const maxNumber = 100;

/** Returns a valid username similar to a provider's claim. Cuts an e-mail address at the `@`. */
export function usernameFrom(claimed: string): string {
  const plain = (claimed.split("@")[0] ?? "").slice(0, 10 * maxUsernameLength).normalize("NFKD");
  const name = plain
    .replace(/\p{Mark}/gu, "")
    .replace(/[^a-zA-Z0-9.-]+/g, "-")
    .replace(/^[.-]+/, "")
    .slice(0, maxUsernameLength)
    .replace(/[.-]+$/, "");
  if (name === "") return "user";
  return name.length < minUsernameLength ? `user-${name}` : name;
}

const numbered = (name: string, number: number): string => {
  const suffix = `-${number}`;
  return name.slice(0, maxUsernameLength - suffix.length) + suffix;
};

/** Returns usernames to try, in order: the name, then the name with a number. The last number is random. */
export function usernamesLike(name: string): string[] {
  const numbers = Array.from({ length: maxNumber - 1 }, (_, index) => index + 2);
  return [name, ...[...numbers, randomInt(100_000, 1_000_000)].map((number) => numbered(name, number))];
}

/** Returns the first username that nobody has or had. */
export const firstFree = (usernames: readonly string[], takenKeys: ReadonlySet<string>): string =>
  usernames.find((username) => !takenKeys.has(keyOf(username))) ?? usernames.at(-1)!;

/** Returns an address that no mail reaches, for users whose provider has not verified one. */
export const placeholderEmail = (username: string): string => `${username}@oidc.invalid`;

export const isEmail = (email: string | undefined): email is string =>
  email !== undefined && emailComplaints(email).length === 0;
