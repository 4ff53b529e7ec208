import type { Context } from "./context.js";
import type { MembershipDoc } from "./domain/membership.js";
import { type NamespaceDoc, toNamespace } from "./domain/namespace.js";
import type { UserDoc } from "./domain/user.js";
import { type Act, collaboratorChanged, namespaceChanged, tokenChanged } from "./events.js";

/**
 * What a deletion entails is done once right away and once more after this time, for what a request that was under
 * way during the deletion still added. It must be longer than any request to this service takes.
 */
const settleMs = 10 * 60_000;

/** The time for the next look at something deleted; undefined when this was the last one. */
function nextLook(endedAt: Date, now: Date): Date | undefined {
  const settled = new Date(endedAt.getTime() + settleMs);
  return now < settled ? settled : undefined;
}

async function dropMembership(ctx: Context, { _id, joinedAt, rootId, inviteeId }: MembershipDoc, act: Act) {
  if (joinedAt) await ctx.memberships.leave(_id, act.at, collaboratorChanged(act, "deleted", rootId, inviteeId));
  else await ctx.memberships.withdraw(_id, act.at, []);
}

/** Deletes what stands below a deleted namespace, each with an event to its own webhooks; answers their ids. */
async function endBelow(ctx: Context, top: NamespaceDoc, act: Act): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const docs = await ctx.namespaces.below(top._id);
    if (docs.length === 0) return ids;
    const end = (doc: NamespaceDoc) => {
      const event = namespaceChanged(act, "deleted", toNamespace({ doc, root: top }), doc._id);
      return ctx.namespaces.end(doc, act, top.visibility, [event]);
    };
    await Promise.all(docs.map(end));
    ids.push(...docs.map(({ _id }) => _id));
  }
}

/** Does what the deletion of a namespace entails. Harmless to repeat, and after a crash in the middle. */
export async function clearNamespace(ctx: Context, top: NamespaceDoc): Promise<void> {
  const now = ctx.now();
  const act = { at: now, actorId: top.endedBy };
  const ids = [top._id, ...(await endBelow(ctx, top, act))];
  for (const membership of await ctx.memberships.ofNamespaces(ids)) await dropMembership(ctx, membership, act);
  await ctx.releaseFromNamespaces(ids);
  const next = nextLook(top.endedAt ?? now, now);
  if (!next && (await ctx.namespaces.forget(top._id))) return;
  const again = next ?? new Date(now.getTime() + settleMs);
  for (const id of ids) await ctx.namespaces.clearAgain(id, again);
}

/** Does what the deletion of a user entails here. Harmless to repeat, and after a crash in the middle. */
export async function clearUser(ctx: Context, user: UserDoc): Promise<void> {
  const act = { at: ctx.now() };
  for (const token of await ctx.tokens.ofUser(user._id)) {
    const event = tokenChanged(act, "deleted", { id: token._id, userId: user._id });
    await ctx.tokens.remove(token._id, act.at, event);
  }
  for (const membership of await ctx.memberships.ofUser(user._id)) await dropMembership(ctx, membership, act);
  await ctx.users.clearAgain(user._id, nextLook(user.endedAt ?? act.at, act.at));
}
