import type { Parent } from "@ci/kit/mongo/deletions";
import type { Context } from "./context.js";
import type { MembershipDoc } from "./domain/membership.js";
import { type NamespaceDoc, toNamespace } from "./domain/namespace.js";
import { type Act, collaboratorChanged, namespaceChanged, tokenChanged } from "./events.js";

/** How long to wait with forgetting a deleted namespace whose events are not published yet. */
const forgetAgainMs = 60_000;

async function dropMembership(ctx: Context, { _id, joinedAt, rootId, inviteeId }: MembershipDoc, act: Act) {
  if (joinedAt) await ctx.memberships.leave(_id, act.at, collaboratorChanged(act, "deleted", rootId, inviteeId));
  // Somebody may accept it meanwhile.
  else if (!(await ctx.memberships.withdraw(_id, act.at, [])))
    await ctx.memberships.leave(_id, act.at, collaboratorChanged(act, "deleted", rootId, inviteeId));
}

/** A deleted namespace; of one that was deleted long ago only the id may be known. */
type Ended = Pick<NamespaceDoc, "_id" | "visibility" | "endedBy">;

/** Deletes what stands below a deleted namespace, each with an event to its own webhooks; returns their ids. */
async function endBelow(ctx: Context, top: Ended, act: Act): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const docs = await ctx.namespaces.below(top._id);
    if (docs.length === 0) return ids;
    const end = (doc: NamespaceDoc) => {
      const event = namespaceChanged(
        act,
        "deleted",
        toNamespace({ doc, root: { ...doc, visibility: top.visibility } }),
        doc._id,
      );
      return ctx.namespaces.end(doc, act, top.visibility, [event]);
    };
    await Promise.all(docs.map(end));
    ids.push(...docs.map(({ _id }) => _id));
  }
}

const asParents = (ids: readonly number[]) => ids.map((id) => ({ kind: "namespace", id }) as const);

/** Does what the deletion of a namespace entails. Harmless to repeat, and after a crash in the middle. */
export async function clearNamespace(ctx: Context, top: Ended): Promise<void> {
  const act = { at: ctx.now(), actorId: top.endedBy };
  await ctx.deletions.record(asParents([top._id]));
  const below = await endBelow(ctx, top, act);
  await ctx.deletions.record(asParents(below));
  const ids = [top._id, ...below];
  for (const membership of await ctx.memberships.ofNamespaces(ids)) await dropMembership(ctx, membership, act);
  await ctx.releaseFromNamespaces(ids);
  const again = new Date(act.at.getTime() + forgetAgainMs);
  for (const id of ids) if (!(await ctx.namespaces.forget(id))) await ctx.namespaces.clearAgain(id, again);
}

/** Does what the deletion of a user entails here. Harmless to repeat, and after a crash in the middle. */
export async function clearUser(ctx: Context, userId: number): Promise<void> {
  const act = { at: ctx.now() };
  await ctx.deletions.record([{ kind: "user", id: userId }]);
  for (const token of await ctx.tokens.ofUser(userId)) {
    const event = tokenChanged(act, "deleted", { id: token._id, userId });
    await ctx.tokens.remove(token._id, act.at, event);
  }
  for (const membership of await ctx.memberships.ofUser(userId)) await dropMembership(ctx, membership, act);
  await ctx.users.cleared(userId);
}

/** Clears once more what a deletion on record entails. */
export const clear = (ctx: Context, { kind, id }: Parent): Promise<void> =>
  kind === "namespace" ? clearNamespace(ctx, { _id: id }) : clearUser(ctx, id);
