import type { Stored } from "@ci/kit/mongo/document";
import type { AuditEntry, AuditEntry_Outcome } from "@ci/proto/namespaces/v1/audit";

export type AuditDoc = Stored<Omit<AuditEntry, "ageMs">>;

/** Greatest lengths of the texts that a request determines, in characters. */
const maxLengths = {
  username: 64,
  tokenName: 100,
  action: 64,
  kind: 32,
  method: 16,
  path: 1_024,
  record: 1_024,
  namespace: 1_400,
  origin: 256,
  address: 64,
  userAgent: 200,
  requestId: 64,
} as const;

export function outcomeOf(status: number | undefined): AuditEntry_Outcome {
  if (status === undefined) return "unfinished";
  if (status < 400) return "done";
  return status < 500 ? "refused" : "failed";
}

/** Returns an entry for storage: with its time and outcome, without empty texts, and with long texts cut. */
export function auditDoc({ id, ageMs, ...entry }: AuditEntry, now: Date): AuditDoc {
  const texts = Object.entries(maxLengths).map(([field, length]) => [
    field,
    entry[field as keyof typeof maxLengths].slice(0, length) || undefined,
  ]);
  const at = new Date(now.getTime() - ageMs);
  return { ...entry, ...Object.fromEntries(texts), _id: id, at, outcome: outcomeOf(entry.status) };
}
