import { createHash, randomBytes } from "node:crypto";
import { everyPermission, lacking } from "@ci/access/scope";
import type { OutboxEvent, Stored } from "@ci/kit/mongo/document";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Token } from "@ci/proto/namespaces/v1/accounts";

/** A stored token, with only the hash of its secret. */
export interface TokenDoc extends Stored<Token> {
  readonly hash: string;
  /** Set on the token created from CI_ADMIN_TOKEN. */
  readonly bootstrap?: true;
  /** Set on the token that the sessions of an identity act for. */
  readonly identityId?: number;
  readonly terms?: readonly string[];
  readonly outbox: OutboxEvent[];
  readonly deletedAt?: Date;
}

export const toToken = ({ _id, hash, bootstrap, identityId, terms, outbox, deletedAt, ...token }: TokenDoc): Token => ({
  id: _id,
  ...token,
});

/** Returns every permission that a token of a user may have. */
export const permissionsOf = (admin: boolean): readonly string[] =>
  everyPermission.filter((permission) => admin || !permission.startsWith("user:"));

/** Returns what a new token may not grant: more than its creator's scope, or `user:` permissions to anyone but an admin. */
export function grantComplaints(granted: readonly string[], creatorScope: string, toAdmin: boolean): string[] {
  const beyond = lacking(granted, creatorScope);
  return granted
    .filter((permission) => beyond.includes(permission) || (permission.startsWith("user:") && !toAdmin))
    .map((permission) => `Scope cannot grant ${permission}`);
}

const maxNameLength = fixedLimit({
  max: 100,
  about: "characters of the name of a token",
  refusal: "Name cannot be longer than N characters in length",
});

export function tokenNameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  return [...name].length > maxNameLength ? [`Name cannot be longer than ${maxNameLength} characters in length`] : [];
}

/** Returns what is wrong with a new token's expiry: it must be in the future and not later than `latest`. */
export function expiryComplaints(expiresAt: Date | undefined, now: Date, latest: Date | undefined): string[] {
  if (!expiresAt) return [];
  return [
    ...(expiresAt > now ? [] : ["Expires_at must be in the future"]),
    ...(latest && expiresAt > latest ? ["Expires_at cannot be later than the expiry of the creating token"] : []),
  ];
}

export const newSecret = (): string => `ci_${randomBytes(32).toString("base64url")}`;

/** Returns the hash stored for a secret. Secrets are random, so no salt is needed. */
export const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");
