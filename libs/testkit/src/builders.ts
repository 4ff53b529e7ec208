import { randomBytes } from "node:crypto";

/** Returns a word that no other test uses. */
export const aWord = (start = "w"): string => start + randomBytes(5).toString("hex");

export function aUser(fields: { username?: string; email?: string; admin?: boolean } = {}) {
  const { username = aWord("user"), admin = false } = fields;
  return { username, email: fields.email ?? `${username}@example.com`, admin };
}

export function aNamespace<T extends object>(fields?: T) {
  return { name: aWord("ns"), ...fields };
}

interface JobOf {
  readonly stage: string;
  readonly name?: string;
  readonly commands: readonly string[];
  readonly artifacts?: readonly string[];
}

/** Returns a manifest as JSON, which is YAML too. */
export function aManifest(fields: Readonly<Record<string, unknown>> & { jobs?: readonly JobOf[] } = {}): string {
  const jobs = [{ stage: "test", commands: ["echo hello"] }];
  return JSON.stringify({ driver: { type: "os" }, stages: ["test"], jobs, ...fields });
}

export const aBuild = ({
  comment = "",
  tags = [] as readonly string[],
  ...manifest
}: Record<string, unknown> = {}) => ({
  manifest: aManifest(manifest),
  comment,
  tags,
});
