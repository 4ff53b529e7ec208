import type { OutboxEvent, Stored } from "@ci/kit/mongo/document";
import type { Collaborator, Invite } from "@ci/proto/namespaces/v1/namespaces";

/** An invite or, once accepted, a collaboration: one document, so that accepting is one write. */
export interface MembershipDoc extends Stored<Invite> {
  readonly rootId: number;
  /** When the invite was accepted; absent before. */
  readonly joinedAt?: Date;
  /** The identity whose groups gave the membership; absent after an invite by a person. */
  readonly identityId?: number;
  readonly outbox: OutboxEvent[];
  readonly deletedAt?: Date;
}

export const toInvite = ({ _id, namespaceId, inviterId, inviteeId, createdAt }: MembershipDoc): Invite => ({
  id: _id,
  namespaceId,
  inviterId,
  inviteeId,
  createdAt,
});

export const toCollaborator = ({ inviteeId, rootId, joinedAt }: MembershipDoc): Collaborator => ({
  userId: inviteeId,
  rootId,
  createdAt: joinedAt,
});
