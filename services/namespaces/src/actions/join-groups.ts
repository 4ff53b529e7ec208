import { expireGrants } from "@ci/access/grants";
import { nextId } from "@ci/kit/mongo/ids";
import { asFault } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { type Act, collaboratorChanged, inviteChanged } from "../domain/events.js";
import type { GroupNamespace } from "../domain/group-namespaces.js";
import type { IdentityDoc } from "../domain/identity.js";
import { toInvite } from "../domain/membership.js";
import type { NamespaceDoc } from "../domain/namespace.js";

async function rootOf(ctx: Context, { owner, elements }: GroupNamespace): Promise<NamespaceDoc | undefined> {
  const user = await ctx.users.byUsername(owner);
  const found = user && !user.endedAt ? await ctx.namespaces.along(user._id, elements) : [];
  return found[elements.length - 1]?.root;
}

async function join(ctx: Context, identity: IdentityDoc, root: NamespaceDoc, act: Act): Promise<boolean> {
  const { userId } = identity;
  const joined = collaboratorChanged(act, "created", root._id, userId);
  const held = await ctx.memberships.of(root._id, userId);
  if (held?.joinedAt) return false;
  if (held) {
    const events = [inviteChanged(act, "accepted", toInvite(held)), joined];
    return (await ctx.memberships.accept(held._id, act.at, events)) !== null;
  }
  const membership = {
    _id: await nextId(ctx.db, "invites"),
    namespaceId: root._id,
    rootId: root._id,
    inviterId: root.userId,
    inviteeId: userId,
    createdAt: act.at,
    joinedAt: act.at,
    identityId: identity._id,
    outbox: [joined],
  };
  const isNew = await ctx.memberships.insert(membership).catch((error) => {
    if (asFault(error).code !== "invalid") throw error;
    ctx.log.warn({ userId, namespaceId: root._id }, "a group's member did not join: too many collaborators");
    return false;
  });
  if (isNew) ctx.deletions.created({ userId, namespaceId: root._id });
  return isNew;
}

/** Ends the memberships from an identity's groups, except in these trees. Reports whether any ended. */
export async function leaveGroups(ctx: Context, identityId: number, kept: ReadonlySet<number>, act: Act) {
  let left = false;
  for (const { _id, rootId, inviteeId } of await ctx.memberships.ofIdentity(identityId))
    if (!kept.has(rootId))
      left = (await ctx.memberships.leave(_id, act.at, collaboratorChanged(act, "deleted", rootId, inviteeId))) || left;
  return left;
}

/** Returns a function that updates a user's memberships to match the groups of an identity. */
export function groupJoiner(ctx: Context) {
  const reported = new Set<GroupNamespace>();
  const reportMissing = (entry: GroupNamespace) => {
    if (reported.has(entry)) return;
    reported.add(entry);
    const { group, owner, elements } = entry;
    ctx.log.warn({ group, namespace: `${owner}/${elements.join("/")}` }, "OIDC_GROUP_NAMESPACES names no namespace");
  };

  return async (identity: IdentityDoc, groups: readonly string[], act: Act): Promise<void> => {
    const given = new Set(groups);
    const roots = new Map<number, NamespaceDoc>();
    for (const entry of ctx.config.groupNamespaces) {
      if (!given.has(entry.group)) continue;
      const root = await rootOf(ctx, entry);
      if (!root) reportMissing(entry);
      else if (root.userId !== identity.userId) roots.set(root._id, root);
    }
    let changed = await leaveGroups(ctx, identity._id, new Set(roots.keys()), act);
    for (const root of roots.values()) changed = (await join(ctx, identity, root, act)) || changed;
    if (changed) await expireGrants(ctx.bus);
  };
}
