import type { Invite, Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { z } from "zod";
import { namespaceCopySchema, namespaceEmbed } from "./namespace-copy.js";
import type { Relations } from "./relations.js";
import { id, record, timestamp, url } from "./schema.js";
import { time } from "./time.js";
import { recordUrl } from "./urls.js";
import { userEmbed, userSchema } from "./user.js";

export const inviteSchema = record("Invite", "An open invite to the tree of a namespace", {
  id: id.describe("Id of the invite"),
  namespace_id: id.describe("Id of the namespace"),
  inviter_id: id.describe("Id of the user that sent the invite"),
  invitee_id: id.describe("Id of the user that may accept it"),
  created_at: timestamp.describe("When the invite was sent"),
  url: url.describe("Address of the invite"),
  inviter: userSchema.describe("The user that sent the invite"),
  invitee: userSchema.describe("The user that may accept it"),
  namespace: namespaceCopySchema.nullable().describe("The namespace; null if it is gone"),
});

export const acceptedSchema = record("Accepted", "An invite that was accepted", {
  namespace: namespaceCopySchema
    .nullable()
    .describe("Root of the tree that the invitee has joined; null if it is gone"),
  inviter: userSchema.describe("The user that sent the invite"),
  invitee: userSchema.describe("The user that accepted it"),
});

export const inviteJson = (invite: Invite, relations: Relations): z.output<typeof inviteSchema> => ({
  id: invite.id,
  namespace_id: invite.namespaceId,
  inviter_id: invite.inviterId,
  invitee_id: invite.inviteeId,
  created_at: time(invite.createdAt),
  url: recordUrl("invites", invite.id, relations),
  inviter: userEmbed(invite.inviterId, relations),
  invitee: userEmbed(invite.inviteeId, relations),
  namespace: namespaceEmbed(invite.namespaceId, relations),
});

/** Returns the response to accepting an invite. */
export const acceptedJson = (
  invite: Invite,
  root: Pick<Namespace, "id">,
  relations: Relations,
): z.output<typeof acceptedSchema> => ({
  namespace: namespaceEmbed(root.id, relations),
  inviter: userEmbed(invite.inviterId, relations),
  invitee: userEmbed(invite.inviteeId, relations),
});
