import { type OutboxEvent, outboxEvent } from "@ci/kit/mongo/document";
import type { Action, Event } from "@ci/proto/events/v1/events";
import type { Token, User } from "@ci/proto/namespaces/v1/accounts";
import type { Invite, Namespace } from "@ci/proto/namespaces/v1/namespaces";

/** When something was done, and by whom; absent for acts of the service. */
export interface Act {
  readonly at: Date;
  readonly actorId?: number;
}

const event = (act: Act, kind: string, body: Event["body"], namespaceId?: number): OutboxEvent =>
  outboxEvent({ kind, at: act.at, actorId: act.actorId, namespaceId, body });

/** A namespace was created, updated or deleted; told to the webhooks of `toldTo`. */
export const namespaceChanged = (act: Act, action: Action, namespace: Namespace, toldTo: number): OutboxEvent =>
  event(act, "namespaces", { $case: "namespace", value: { action, namespace } }, toldTo);

/** An invite was sent, accepted or rejected; told to the webhooks of the namespace it names. */
export const inviteTurned = (act: Act, turn: "sent" | "accepted" | "rejected", invite: Invite): OutboxEvent =>
  event(act, `invite.${turn}`, { $case: "invite", value: invite }, invite.namespaceId);

/** Somebody joined a tree or left it. For the services among themselves. */
export const collaboratorChanged = (act: Act, action: Action, rootId: number, userId: number): OutboxEvent =>
  event(act, "collaborators", { $case: "collaborator", value: { action, rootId, userId } });

/** A user was created, became admin, or was deleted. For the services among themselves. */
export const userChanged = (act: Act, action: Action, user: User): OutboxEvent =>
  event(act, "users", { $case: "user", value: { action, user } });

/** A token was created or deleted. For the services among themselves. */
export const tokenChanged = (act: Act, action: Action, token: Pick<Token, "id" | "userId">): OutboxEvent =>
  event(act, "tokens", { $case: "token", value: { action, tokenId: token.id, userId: token.userId } });
