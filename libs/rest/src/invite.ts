import type { Invite, Namespace } from "@ci/proto/namespaces/v1/namespaces";
import { namespaceEmbed } from "./namespace.js";
import type { Relations } from "./relations.js";
import { time } from "./time.js";
import { recordUrl } from "./urls.js";
import { userEmbed } from "./user.js";

/** An open invite. */
export const inviteJson = (invite: Invite, known: Relations) => ({
  id: invite.id,
  namespace_id: invite.namespaceId,
  inviter_id: invite.inviterId,
  invitee_id: invite.inviteeId,
  created_at: time(invite.createdAt),
  url: recordUrl("invites", invite.id, known),
  inviter: userEmbed(invite.inviterId, known),
  invitee: userEmbed(invite.inviteeId, known),
  namespace: namespaceEmbed(invite.namespaceId, known),
});

/** The answer to accepting one: the root that the invitee has joined, and who was involved. */
export const acceptedJson = (invite: Invite, root: Pick<Namespace, "id">, known: Relations) => ({
  namespace: namespaceEmbed(root.id, known),
  inviter: userEmbed(invite.inviterId, known),
  invitee: userEmbed(invite.inviteeId, known),
});
