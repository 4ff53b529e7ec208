import { readSettings, type ServiceConfig, serviceConfig } from "@ci/kit/config";
import { type Keyring, parseKeys } from "@ci/kit/secrets";

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

export const readConfig = (env: NodeJS.ProcessEnv): Config =>
  readSettings(env, (s) => ({
    ...serviceConfig(s, "namespaces"),
    keyring: s.parsed("SECRET_KEYS", undefined, parseKeys),
    objectBytes: s.size("OBJECT_LIMIT", "5MiB"),
    adminToken: s.parsed("CI_ADMIN_TOKEN", "", adminToken),
    adminUsername: s.str("CI_ADMIN_USERNAME", "admin"),
    adminEmail: s.str("CI_ADMIN_EMAIL", "admin@localhost"),
  }));
