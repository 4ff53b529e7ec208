import { nextId } from "@ci/kit/mongo/ids";
import { userOf } from "@ci/kit/rpc/caller";
import { invalid } from "@ci/kit/rpc/fault";
import { validated } from "@ci/kit/rpc/validated";
import { seeNamespace } from "../actions/see-namespace.js";
import type { Context, NamespaceHandlers } from "../context.js";
import { inviteChanged } from "../domain/events.js";
import { toInvite } from "../domain/membership.js";

async function membershipComplaint(ctx: Context, rootId: number, inviteeId: number): Promise<string | undefined> {
  const membership = await ctx.memberships.of(rootId, inviteeId);
  if (!membership) return undefined;
  return membership.joinedAt ? "Already a collaborator" : "Invite already sent";
}

/** Finds the user with this handle. The complaints say why the inviter cannot invite them. */
async function findInvitee(
  ctx: Context,
  { rootId, inviterId, handle }: { rootId: number; inviterId: number; handle: string },
): Promise<{ id?: number; complaints: string[] }> {
  if (handle === "") return { complaints: ["Username or email field required"] };
  const user = await ctx.users.byHandle(handle);
  if (!user || user.endedAt) return { complaints: ["No such user"] };
  if (user._id === inviterId) return { complaints: ["Cannot invite self"] };
  const complaint = await membershipComplaint(ctx, rootId, user._id);
  return { id: user._id, complaints: complaint ? [complaint] : [] };
}

export const sendInvite = (ctx: Context): NamespaceHandlers["sendInvite"] =>
  validated(async ({ namespaceId, handle }, { caller }) => {
    const inviterId = userOf(caller);
    const { root } = await seeNamespace(ctx, inviterId, namespaceId, "own");
    const invitee = await findInvitee(ctx, { rootId: root._id, inviterId, handle });
    return {
      complaints: { ...(await ctx.memberships.quotaComplaints(root._id)), handle: invitee.complaints },
      async change() {
        const inviteeId = invitee.id!;
        const act = { at: ctx.now(), actorId: inviterId };
        const _id = await nextId(ctx.db, "invites");
        const invite = { _id, namespaceId, inviterId, inviteeId, createdAt: act.at, rootId: root._id, outbox: [] };
        const outbox = [inviteChanged(act, "sent", toInvite(invite))];
        if (!(await ctx.memberships.insert({ ...invite, outbox })))
          throw invalid({ handle: [(await membershipComplaint(ctx, root._id, inviteeId)) ?? "Invite already sent"] });
        for (const userId of [inviterId, inviteeId]) ctx.deletions.created({ userId });
        for (const id of [namespaceId, root._id]) ctx.deletions.created({ namespaceId: id });
        return { invite: toInvite(invite) };
      },
    };
  });
