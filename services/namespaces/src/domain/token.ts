import { createHash, randomBytes } from "node:crypto";
import { lacking } from "@ci/access/scope";
import type { OutboxEvent, Stored } from "@ci/kit/mongo/document";
import type { Token } from "@ci/proto/namespaces/v1/accounts";

/** A token as it is kept: of its secret only the hash. */
export interface TokenDoc extends Stored<Token> {
  readonly hash: string;
  /** Made from the settings, and ended by them. */
  readonly bootstrap?: true;
  readonly outbox: OutboxEvent[];
  readonly deletedAt?: Date;
}

export const toToken = ({ _id, hash, bootstrap, outbox, deletedAt, ...token }: TokenDoc): Token => ({
  id: _id,
  ...token,
});

/** What a token may not grant: what its creator's scope lacks, and to anybody but admins the care of users. */
export function grantComplaints(granted: readonly string[], creatorScope: string, toAdmin: boolean): string[] {
  const beyond = lacking(granted, creatorScope);
  return granted
    .filter((permission) => beyond.includes(permission) || (permission.startsWith("user:") && !toAdmin))
    .map((permission) => `Scope cannot grant ${permission}`);
}

/** What is wrong with the name of a new token. */
export function tokenNameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  return [...name].length <= 100 ? [] : ["Name cannot be longer than 100 characters in length"];
}

/** What is wrong with a token's end, which must lie ahead and not after that of its creator. */
export function expiryComplaints(expiresAt: Date | undefined, now: Date, latest: Date | undefined): string[] {
  if (!expiresAt) return [];
  return [
    ...(expiresAt > now ? [] : ["Expires_at must be in the future"]),
    ...(latest && expiresAt > latest ? ["Expires_at cannot be later than the expiry of the creating token"] : []),
  ];
}

/** A new secret; nobody can guess it. */
export const newSecret = (): string => `ci_${randomBytes(32).toString("base64url")}`;

/** What is stored of a secret. A secret is too random to be found from it, so no salt is needed. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");
