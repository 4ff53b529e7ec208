import { createHash, randomBytes } from "node:crypto";
import type { OutboxEvent, Stored } from "@ci/kit/mongo/document";
import type { Token } from "@ci/proto/namespaces/v1/accounts";

/** A stored token, with only the hash of its secret. */
export interface TokenDoc extends Stored<Token> {
  readonly hash: string;
  /** Set on the token created from CI_ADMIN_TOKEN. */
  readonly bootstrap?: true;
  readonly outbox: OutboxEvent[];
  readonly deletedAt?: Date;
}

export const toToken = ({ _id, hash, bootstrap, outbox, deletedAt, ...token }: TokenDoc): Token => ({
  id: _id,
  ...token,
});

const resources = ["build", "invite", "image", "namespace", "object", "variable", "key", "cron", "webhook", "user"];
const permissions = ["read", "write", "delete"];

/** Every `resource:permission` there is, in canonical order. */
export const everyPermission: readonly string[] = resources.flatMap((resource) =>
  permissions.map((permission) => `${resource}:${permission}`),
);

const message = (text: string, given: string) => (given === "" ? text : `${text} ${given}`);

/** The permissions a scope names, in canonical order, and what is wrong with its text. */
export function readScope(text: string): { granted: readonly string[]; complaints: readonly string[] } {
  const named = new Set<string>();
  const complaints = new Set<string>();
  for (const entry of text.split(" ").filter((entry) => entry !== "")) {
    const [resource = "", rest = ""] = [entry.split(":", 1)[0], entry.slice(entry.indexOf(":") + 1)];
    if (!resources.includes(resource)) complaints.add(message("Scope invalid resource", resource));
    for (const permission of entry.includes(":") ? rest.split(",") : [""]) {
      if (!permissions.includes(permission)) complaints.add(message("Scope invalid permission", permission));
      named.add(`${resource}:${permission}`);
    }
  }
  if (named.size === 0) complaints.add("Scope field required");
  return { granted: everyPermission.filter((permission) => named.has(permission)), complaints: [...complaints] };
}

/** Permissions as the text of a scope: `build:read,write image:read`. */
export function formatScope(granted: readonly string[]): string {
  const entries = resources.map((resource) => {
    const own = permissions.filter((permission) => granted.includes(`${resource}:${permission}`));
    return own.length > 0 ? [`${resource}:${own.join(",")}`] : [];
  });
  return entries.flat().join(" ");
}

/** Those of the wanted permissions that a scope does not hold. */
export function lacking(wanted: readonly string[], scope: string): string[] {
  const { granted } = readScope(scope);
  return wanted.filter((permission) => !granted.includes(permission));
}

/** Returns what a new token may not grant: more than its creator's scope, or `user:` permissions to anyone but an admin. */
export function grantComplaints(granted: readonly string[], creatorScope: string, toAdmin: boolean): string[] {
  const beyond = lacking(granted, creatorScope);
  return granted
    .filter((permission) => beyond.includes(permission) || (permission.startsWith("user:") && !toAdmin))
    .map((permission) => `Scope cannot grant ${permission}`);
}

export function tokenNameComplaints(name: string): string[] {
  if (name === "") return ["Name field required"];
  return [...name].length <= 100 ? [] : ["Name cannot be longer than 100 characters in length"];
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
