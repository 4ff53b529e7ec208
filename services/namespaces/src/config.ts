import { readSettings, type ServiceConfig, serviceConfig } from "@ci/kit/process/config";
import { type Keyring, parseKeys } from "@ci/kit/security/secrets";
import { emailComplaints, usernameComplaints } from "./domain/user.js";

/** Everything the namespaces service reads from its environment. */
export interface Config extends ServiceConfig {
  /** Seals variables and private keys. */
  keyring: Keyring;
  /** The largest object that is accepted. */
  objectBytes: number;
  /** The secret of the bootstrap token; absent: there is none. */
  adminToken?: string;
  adminUsername: string;
  adminEmail: string;
}

const shortestAdminToken = 32;

function adminToken(text: string): string | undefined {
  if (text !== "" && text.length < shortestAdminToken)
    throw new Error(`must have at least ${shortestAdminToken} characters, or be left out`);
  return text || undefined;
}

/** Reads a text that the rules of a field must not complain about. */
const ruled = (complaints: (text: string) => string[]) => (text: string) => {
  const [complaint] = complaints(text);
  if (complaint) throw new Error(`is no good: ${complaint}`);
  return text;
};

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => ({
    ...serviceConfig(s, "namespaces"),
    keyring: s.parsed(
      "SECRET_KEYS",
      "`id:base64 of 32 bytes`, separated by commas; the first encrypts, all decrypt",
      undefined,
      parseKeys,
    ),
    objectBytes: s.size("OBJECT_LIMIT", "largest object", "5MiB"),
    adminToken: s.parsed(
      "CI_ADMIN_TOKEN",
      "token of the administrator, 32 characters or more; empty: there is none",
      "",
      adminToken,
    ),
    adminUsername: s.parsed("CI_ADMIN_USERNAME", "the administrator's name", "admin", ruled(usernameComplaints)),
    adminEmail: s.parsed("CI_ADMIN_EMAIL", "the administrator's address", "admin@localhost", ruled(emailComplaints)),
  }));
