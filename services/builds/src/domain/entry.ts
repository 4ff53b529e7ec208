import { randomUUID } from "node:crypto";
import { AuditEntry } from "@ci/proto/namespaces/v1/audit";

/** What makes builds: a request, with its entry of the audit log, or the hook or cron job with this path. */
export type Cause = { readonly entry: AuditEntry } | { readonly actor: "hook" | "cron"; readonly origin: string };

interface Made {
  readonly userId: number;
  readonly username: string;
  readonly number: number;
  readonly namespace: { readonly path: string; readonly owner: string } | undefined;
}

const recordOf = (username: string, number: number): string => `/b/${encodeURIComponent(username)}/${number}`;

const write = (entry: AuditEntry): string => JSON.stringify(AuditEntry.toJSON(entry));

/** Returns the entry of a new build, as JSON. */
export function entryOf(cause: Cause, { userId, username, number, namespace }: Made): string {
  const own = { id: randomUUID(), userId, username, action: "submitBuild", kind: "build", status: 201 };
  const entry = {
    ...("entry" in cause ? cause.entry : { ...own, ...cause }),
    record: recordOf(username, number),
    namespace: namespace && `${namespace.path}@${namespace.owner.toLowerCase()}`,
  };
  return write(AuditEntry.fromPartial(entry));
}

export const readEntry = (json: string): AuditEntry => AuditEntry.fromJSON(JSON.parse(json));

/** Returns the entry of a build that got another number. */
export function renumberedEntry(json: string, number: number): string {
  const entry = readEntry(json);
  return write({ ...entry, record: entry.record.replace(/\d+$/, String(number)) });
}
