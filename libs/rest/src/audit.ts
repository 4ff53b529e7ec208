import { type AuditEntry, AuditEntry_Actor, AuditEntry_Outcome } from "@ci/proto/namespaces/v1/audit";
import { z } from "zod";
import { id, record, timestamp, url } from "./schema.js";
import { time } from "./time.js";

const text = z.string().nullable();

export const auditEntrySchema = record("AuditEntry", "One attempt to change something", {
  id: z.uuid().describe("Id of the entry"),
  created_at: timestamp.describe("When the request arrived"),
  actor: z.enum(AuditEntry_Actor).describe("Who acted: a user, a repository's hook or a cron job"),
  user_id: id.nullable().describe("Id of the user; null if the token was not valid"),
  username: text.describe("Name of the user at that time"),
  token_id: id.nullable().describe("Id of the token; null for hooks and cron jobs"),
  token_name: text.describe("Name of the token"),
  action: z.string().describe("Name of the operation in `/openapi.json`"),
  kind: z.string().describe("Kind of record that the operation changes"),
  method: text.describe("Method of the request"),
  path: text.describe("Path of the request, without its query"),
  record_url: url.nullable().describe("Address of the record in the response"),
  namespace: text.describe(
    "Namespace of the record, as `path@owner`; null if there is none, or if the request did not name it",
  ),
  origin_url: url.nullable().describe("Address of the hook or cron job that submitted the build"),
  address: text.describe("IP address of the client"),
  user_agent: text.describe("User agent of the client"),
  request_id: text.describe("The response's `X-Request-Id`"),
  status: z.int().nullable().describe("Status of the response; null while the request is unfinished"),
  outcome: z
    .enum(AuditEntry_Outcome)
    .describe("The outcome. `failed` and `unfinished` requests may have changed something"),
});

export const auditEntryJson = (entry: AuditEntry, publicUrl: string): z.output<typeof auditEntrySchema> => {
  const below = (path: string) => (path === "" ? null : publicUrl + path);
  return {
    id: entry.id,
    created_at: time(entry.at),
    actor: entry.actor,
    user_id: entry.userId ?? null,
    username: entry.username || null,
    token_id: entry.tokenId ?? null,
    token_name: entry.tokenName || null,
    action: entry.action,
    kind: entry.kind,
    method: entry.method || null,
    path: entry.path || null,
    record_url: below(entry.record),
    namespace: entry.namespace || null,
    origin_url: below(entry.origin),
    address: entry.address || null,
    user_agent: entry.userAgent || null,
    request_id: entry.requestId || null,
    status: entry.status ?? null,
    outcome: entry.outcome,
  };
};
