import type { ByteLimit } from "@ci/kit/mongo/byte-quota";
import type { CountLimit } from "@ci/kit/mongo/quota";
import { keyring, readSettings, type ServiceConfig, type Settings, serviceConfig } from "@ci/kit/process/config";
import { byteLimit, countLimit } from "@ci/kit/process/quota-config";
import type { Keyring } from "@ci/kit/security/secrets";
import { type GroupNamespace, parseGroupNamespaces } from "./domain/group-namespaces.js";
import { tooManySessions } from "./domain/session.js";
import { emailComplaints, usernameComplaints } from "./domain/user.js";

export interface Quotas {
  namespaces: CountLimit;
  tokens: CountLimit;
  collaborators: CountLimit;
  objects: CountLimit;
  objectStorage: ByteLimit;
  variables: CountLimit;
  keys: CountLimit;
}

export interface Config extends ServiceConfig {
  keyring: Keyring;
  objectBytes: number;
  descriptionLength: number;
  quotas: Quotas;
  auditRetentionMs: number;
  sessionLifetimeMs: number;
  sessionsPerUser: number;
  createUsers: boolean;
  groupNamespaces: readonly GroupNamespace[];
  /** The secret of the bootstrap token; absent if there is none. */
  adminToken?: string;
  adminUsername: string;
  adminEmail: string;
}

const minAdminTokenLength = 32;

function adminToken(text: string): string | undefined {
  if (text !== "" && text.length < minAdminTokenLength)
    throw new Error(`must have at least ${minAdminTokenLength} characters, or be left out`);
  return text || undefined;
}

/** Returns a parser that applies the validation rules of a field. */
const validated = (complaints: (text: string) => string[]) => (text: string) => {
  const [complaint] = complaints(text);
  if (complaint) throw new Error(`is invalid: ${complaint}`);
  return text;
};

const readQuotas = (s: Settings): Quotas => ({
  namespaces: countLimit(s, "Namespaces", "user"),
  tokens: countLimit(s, "Tokens", "user"),
  collaborators: countLimit(
    s,
    "Collaborators",
    "namespace",
    "most collaborators and open invites of one namespace tree",
  ),
  objects: countLimit(s, "Objects", "namespace"),
  objectStorage: byteLimit(s, "OBJECT_QUOTA", "100GiB", {
    records: "objects",
    about: "total size of the objects of one user; 0: no limit",
    remedy: "delete objects",
  }),
  variables: countLimit(s, "Variables", "namespace"),
  keys: countLimit(s, "Keys", "namespace"),
});

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => ({
    ...serviceConfig(s, "namespaces", {}),
    keyring: keyring(s),
    objectBytes: s.size("OBJECT_LIMIT", "largest object that can be uploaded", "5MiB", {
      refusal: "file too large, cannot exceed N MB",
    }),
    descriptionLength: s.int("DESCRIPTION_LENGTH", "characters of the description of a namespace", 255, {
      max: "65536",
      refusal: "Description cannot be longer than N characters in length",
    }),
    quotas: readQuotas(s),
    auditRetentionMs: s.duration("AUDIT_RETENTION", "how long entries of the audit log are kept", "90d", {
      min: "1h",
      effect: "older entries are deleted",
    }),
    sessionLifetimeMs: s.duration("SESSION_LIFETIME", "how long a session of the web page lasts", "30d", {
      min: "1s",
      effect: "users sign in again",
    }),
    sessionsPerUser: s.int("SESSIONS_PER_USER", "most web page sessions of one user", 50, {
      min: "1",
      max: "1000",
      effect: `a new session ends the oldest of its token, or else the oldest with no further permission; if there is none: \`${tooManySessions("N")}\``,
    }),
    createUsers: s.bool(
      "OIDC_CREATE_USERS",
      "whether the first sign-in of an unknown OpenID Connect identity creates a user; if not, users connect identities first",
      false,
    ),
    groupNamespaces: s.parsed(
      "OIDC_GROUP_NAMESPACES",
      "OpenID Connect groups whose members collaborate on a namespace, as `group=user/namespace`, separated by semicolons",
      "",
      parseGroupNamespaces,
    ),
    adminToken: s.parsed(
      "CI_ADMIN_TOKEN",
      "bootstrap token of the administrator, at least 32 characters; empty for none",
      "",
      adminToken,
    ),
    adminUsername: s.parsed(
      "CI_ADMIN_USERNAME",
      "username of the administrator whom CI_ADMIN_TOKEN belongs to",
      "admin",
      validated(usernameComplaints),
    ),
    adminEmail: s.parsed(
      "CI_ADMIN_EMAIL",
      "e-mail address of the administrator whom CI_ADMIN_TOKEN belongs to",
      "admin@localhost",
      validated(emailComplaints),
    ),
  }));
