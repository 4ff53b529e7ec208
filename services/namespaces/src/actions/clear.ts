import type { Parent } from "@ci/kit/mongo/deletions";
import type { Context } from "../context.js";
import { type Act, collaboratorChanged, namespaceChanged } from "../domain/events.js";
import type { MembershipDoc } from "../domain/membership.js";
import { type NamespaceDoc, toNamespace } from "../domain/namespace.js";
import { endToken } from "./end-token.js";
import { releaseFromNamespaces } from "./release.js";

/** How long to wait for the events of a deleted namespace before trying again to remove it. */
const retryAfterMs = 60_000;

async function dropMembership(ctx: Context, { _id, joinedAt, rootId, inviteeId }: MembershipDoc, act: Act) {
  // The invitee may have accepted since the invite was read.
  if (joinedAt || !(await ctx.memberships.withdraw(_id, act.at, [])))
    await ctx.memberships.leave(_id, act.at, collaboratorChanged(act, "deleted", rootId, inviteeId));
}

/** A deleted namespace. Once it is removed, only its id is known. */
type Ended = Pick<NamespaceDoc, "_id" | "visibility" | "endedBy">;

/** Deletes all namespaces below a deleted one, each with an event to its own webhooks. Returns their ids. */
async function endBelow(ctx: Context, top: Ended, act: Act): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const docs = await ctx.namespaces.below(top._id);
    if (docs.length === 0) return ids;
    const end = (doc: NamespaceDoc) => {
      const namespace = toNamespace({ doc, root: { ...doc, visibility: top.visibility } });
      return ctx.namespaces.end(doc, act, top.visibility, [namespaceChanged(act, "deleted", namespace, doc._id)]);
    };
    await Promise.all(docs.map(end));
    ids.push(...docs.map(({ _id }) => _id));
  }
}

const asParents = (ids: readonly number[]) => ids.map((id) => ({ kind: "namespace", id }) as const);

/** Deletes the namespaces and memberships below a deleted namespace. Returns the ids of all deleted namespaces. */
export async function endNamespaces(ctx: Context, top: Ended, act: Act): Promise<number[]> {
  await ctx.deletions.record(asParents([top._id]));
  const below = await endBelow(ctx, top, act);
  await ctx.deletions.record(asParents(below));
  const ids = [top._id, ...below];
  for (const membership of await ctx.memberships.ofNamespaces(ids)) await dropMembership(ctx, membership, act);
  return ids;
}

/** Clears what is below a deleted namespace. Safe to repeat, and after a crash. */
export async function clearNamespace(ctx: Context, top: Ended): Promise<void> {
  const act = { at: ctx.now(), actorId: top.endedBy };
  const ids = await endNamespaces(ctx, top, act);
  await releaseFromNamespaces(ctx, ids);
  const retryAt = new Date(act.at.getTime() + retryAfterMs);
  for (const id of ids) if (!(await ctx.namespaces.purge(id))) await ctx.namespaces.clearAgain(id, retryAt);
}

/** Clears what is below a deleted user. Safe to repeat, and after a crash. */
export async function clearUser(ctx: Context, userId: number): Promise<void> {
  const act = { at: ctx.now() };
  await ctx.deletions.record([{ kind: "user", id: userId }]);
  for (const token of await ctx.tokens.ofUser(userId)) await endToken(ctx, token, act);
  for (const membership of await ctx.memberships.ofUser(userId)) await dropMembership(ctx, membership, act);
  await ctx.identities.removeOfUser(userId);
  await ctx.users.cleared(userId);
}

/** Clears again what is below a recorded deletion. */
export const clear = (ctx: Context, { kind, id }: Parent): Promise<void> =>
  kind === "namespace" ? clearNamespace(ctx, { _id: id }) : clearUser(ctx, id);
