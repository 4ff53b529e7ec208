import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { AuditEntry } from "@ci/proto/namespaces/v1/audit";
import { relationsFor } from "../backend/relations.js";
import type { Config } from "../config.js";
import type { Context } from "../context.js";
import { clientAddress } from "../http/address.js";
import type { Exchange } from "../http/exchange.js";
import type { Found } from "../http/match.js";
import { risingId } from "./rising-id.js";

/** An entry as the gateway makes it; the store adds the rest. */
export type NewEntry = Pick<AuditEntry, "id"> & Partial<AuditEntry>;

/** Characters of the path and of the User-Agent. */
const maxPathLength = fixedLimit({
  max: 1_024,
  about: "characters of a path in the audit log",
  effect: "the rest is cut",
});
const maxAgentLength = fixedLimit({
  max: 200,
  about: "characters of a `User-Agent` in the audit log",
  effect: "the rest is cut",
});

const namespaceName = (path: string, owner: string) => `${path}@${owner.toLowerCase()}`;

/** Returns the entry of a request that has just begun. It never holds the query, the body or the token's secret. */
export function newEntry(config: Config, exchange: Exchange, { path, row, params }: Found): NewEntry {
  const { request, session, caller } = exchange;
  return {
    actor: "user",
    id: risingId(),
    userId: session?.user.id,
    username: session?.user.username,
    tokenId: session?.tokenId,
    tokenName: session?.tokenName,
    action: row.operation,
    kind: row.action.changes,
    method: row.method,
    path: path.slice(0, maxPathLength),
    namespace: params.path && namespaceName(params.path, params.username),
    address: clientAddress(request, config.trustedProxies),
    userAgent: request.headers["user-agent"]?.slice(0, maxAgentLength),
    requestId: caller.requestId,
  };
}

/** A record of a response, or the response of another service about a deleted one. */
interface Shown {
  readonly namespaceId?: unknown;
  readonly url?: unknown;
  readonly path?: unknown;
  readonly user?: { readonly username?: unknown };
  readonly namespace?: Shown | null;
  readonly build?: Shown;
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** Returns the namespace with this id as entries spell it; nothing if it is gone or cannot be found now. */
async function namespaceWith(ctx: Context, id: unknown): Promise<Pick<AuditEntry, "namespace"> | undefined> {
  if (typeof id !== "number") return undefined;
  const relations = await relationsFor(ctx, [{ namespaceId: id }]).catch(() => undefined);
  const namespace = relations?.namespaces.get(id);
  const owner = namespace && relations?.users.get(namespace.userId);
  return owner && { namespace: namespaceName(namespace.path, owner.username) };
}

/** Returns what a reply shows about the changed record: its path and its namespace. */
export async function shownBy(ctx: Context, { row }: Found, reply: unknown): Promise<Partial<AuditEntry>> {
  const { publicUrl } = ctx.config;
  const [first] = [reply].flat() as (Shown | undefined)[];
  if (typeof first !== "object" || first === null) return {};
  if (row.code === 204) return { ...(await namespaceWith(ctx, first.namespaceId)) };
  const url = text(first.url);
  const record = !Array.isArray(reply) && url?.startsWith(`${publicUrl}/`) ? url.slice(publicUrl.length) : undefined;
  const place = row.action.changes === "namespace" ? first : (first.namespace ?? first.build?.namespace);
  const [path, owner] = [text(place?.path), text(place?.user?.username)];
  return { ...(record && { record }), ...(path && owner && { namespace: namespaceName(path, owner) }) };
}
