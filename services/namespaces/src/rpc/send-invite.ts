import { invalid } from "@ci/kit/fault";
import { nextId } from "@ci/kit/mongo";
import type { Context, NamespaceHandlers } from "../context.js";
import { toInvite } from "../domain/membership.js";
import { inviteTurned } from "../events.js";
import { seeNamespace, userOf } from "./see.js";

const refusal = (message: string) => invalid({ handle: [message] });

/** The user that a handle means, if they can be invited by this one. */
async function findInvitee(ctx: Context, inviterId: number, handle: string): Promise<number> {
  if (handle === "") throw refusal("Username or email field required");
  const user = await ctx.users.byHandle(handle);
  if (!user || user.endedAt) throw refusal("No such user");
  if (user._id === inviterId) throw refusal("Cannot invite self");
  return user._id;
}

async function whyNot(ctx: Context, rootId: number, inviteeId: number): Promise<string | undefined> {
  const membership = await ctx.memberships.of(rootId, inviteeId);
  if (!membership) return undefined;
  return membership.joinedAt ? "Already a collaborator" : "Invite already sent";
}

export const sendInvite =
  (ctx: Context): NamespaceHandlers["sendInvite"] =>
  async ({ namespaceId, handle }, { caller }) => {
    const inviterId = userOf(caller);
    const { root } = await seeNamespace(ctx, inviterId, namespaceId, "own");
    const inviteeId = await findInvitee(ctx, inviterId, handle);
    const before = await whyNot(ctx, root._id, inviteeId);
    if (before) throw refusal(before);
    const act = { at: ctx.now(), actorId: inviterId };
    const _id = await nextId(ctx.db, "invites");
    const invite = { _id, namespaceId, inviterId, inviteeId, createdAt: act.at, rootId: root._id, outbox: [] };
    const outbox = [inviteTurned(act, "sent", toInvite(invite))];
    if (!(await ctx.memberships.insert({ ...invite, outbox })))
      throw refusal((await whyNot(ctx, root._id, inviteeId)) ?? "Invite already sent");
    return { invite: toInvite(invite) };
  };
