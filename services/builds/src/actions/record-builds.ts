import { createHash } from "node:crypto";
import type { AuditEntry_Actor } from "@ci/proto/namespaces/v1/audit";
import type { Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Context } from "../context.js";

/** Returns the id of a build's entry, which is always the same, so that the entry is stored once. */
function entryId(buildId: number): string {
  const hex = createHash("sha256").update(`build/${buildId}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

interface Cause {
  readonly actor: AuditEntry_Actor;
  /** Path of the hook or cron job. */
  readonly origin: string;
  readonly namespace: Namespace | undefined;
}

/** Stores an audit entry for each build that no request submitted. Safe to repeat; throws if it must be repeated. */
export async function recordBuilds(
  ctx: Pick<Context, "audit" | "submitter">,
  builds: readonly { readonly id: number; readonly userId: number; readonly number: number }[],
  { actor, origin, namespace }: Cause,
): Promise<void> {
  const owner = namespace && (await ctx.submitter(namespace.userId)).username.toLowerCase();
  const store = async ({ id, userId, number }: (typeof builds)[number]) => {
    const { username } = await ctx.submitter(userId);
    const record = `/b/${encodeURIComponent(username)}/${number}`;
    const about = { actor, origin, namespace: namespace && `${namespace.path}@${owner}`, userId, username, record };
    const done = { action: "submitBuild", kind: "build", status: 201 };
    await ctx.audit.store({ id: entryId(id), ...about, ...done });
  };
  await Promise.all(builds.map(store));
}
