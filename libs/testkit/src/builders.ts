import { randomBytes } from "node:crypto";

// Valid requests, so that a test names only the fields that matter to it.

/** Returns a word that no other test uses. */
export const aWord = (start = "w"): string => start + randomBytes(5).toString("hex");

/** The body of POST /users. */
export function aUser(fields: { username?: string; email?: string; admin?: boolean } = {}) {
  const { username = aWord("user"), admin = false } = fields;
  return { username, email: fields.email ?? `${username}@example.com`, admin };
}

/** The body of POST /namespaces. */
export function aNamespace<T extends object>(fields?: T) {
  return { name: aWord("ns"), ...fields };
}

/** One job of a manifest. */
export interface JobOf {
  readonly stage: string;
  readonly name?: string;
  readonly commands: readonly string[];
  readonly artifacts?: readonly string[];
}

/** A manifest with one job for the os driver. It is JSON, which is YAML too. */
export function aManifest(fields: Readonly<Record<string, unknown>> & { jobs?: readonly JobOf[] } = {}): string {
  const jobs = [{ stage: "test", commands: ["echo hello"] }];
  return JSON.stringify({ driver: { type: "os" }, stages: ["test"], jobs, ...fields });
}

/** The body of POST /builds. */
export const aBuild = ({
  comment = "",
  tags = [] as readonly string[],
  ...manifest
}: Record<string, unknown> = {}) => ({
  manifest: aManifest(manifest),
  comment,
  tags,
});
