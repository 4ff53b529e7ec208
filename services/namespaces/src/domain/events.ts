import { type OutboxEvent, outboxEvent } from "@ci/kit/mongo/document";
import type { Action, Event } from "@ci/proto/events/v1/events";
import type { Session, Token, User } from "@ci/proto/namespaces/v1/accounts";
import type { Invite, Namespace } from "@ci/proto/namespaces/v1/namespaces";
import type { Key, StoredObject, Variable } from "@ci/proto/namespaces/v1/resources";

/** The time and actor of a change. Acts of the service have no actor. */
export interface Act {
  readonly at: Date;
  readonly actorId?: number | undefined;
}

const event = (act: Act, kind: string, body: Event["body"], namespaceId?: number): OutboxEvent =>
  outboxEvent({ kind, at: act.at, actorId: act.actorId, namespaceId, body });

/** Returns the event that a namespace was created, updated or deleted. The webhooks of `recipientId` receive it. */
export const namespaceChanged = (act: Act, action: Action, namespace: Namespace, recipientId: number): OutboxEvent =>
  event(act, "namespaces", { $case: "namespace", value: { action, namespace } }, recipientId);

/** Returns the event that an invite was sent, accepted or rejected. The webhooks of its namespace receive it. */
export const inviteChanged = (act: Act, change: "sent" | "accepted" | "rejected", invite: Invite): OutboxEvent =>
  event(act, `invite.${change}`, { $case: "invite", value: invite }, invite.namespaceId);

/** Returns the internal event that a user joined or left a tree. */
export const collaboratorChanged = (act: Act, action: Action, rootId: number, userId: number): OutboxEvent =>
  event(act, "collaborators", { $case: "collaborator", value: { action, rootId, userId } });

/** Returns the internal event that a user was created, promoted to admin, or deleted. */
export const userChanged = (act: Act, action: Action, user: User): OutboxEvent =>
  event(act, "users", { $case: "user", value: { action, user } });

/** Returns the internal event that a token was created or deleted. */
export const tokenChanged = (act: Act, action: Action, token: Pick<Token, "id" | "userId">): OutboxEvent =>
  event(act, "tokens", { $case: "token", value: { action, tokenId: token.id, userId: token.userId } });

/** Returns the internal event that a session of the web page has ended. The token stays. */
export const sessionEnded = (act: Act, { tokenId, userId }: Pick<Session, "tokenId" | "userId">): OutboxEvent =>
  tokenChanged(act, "updated", { id: tokenId, userId });

export const objectChanged = (act: Act, action: Action, object: StoredObject): OutboxEvent =>
  event(act, "objects", { $case: "object", value: { action, object } }, object.namespaceId);

/** Returns the event that a variable was created or deleted. The caller masks the value of a masked variable. */
export const variableChanged = (act: Act, action: Action, variable: Variable): OutboxEvent =>
  event(act, "variables", { $case: "variable", value: { action, variable } }, variable.namespaceId);

export const keyChanged = (act: Act, action: Action, key: Key): OutboxEvent =>
  event(act, "ssh_keys", { $case: "key", value: { action, key } }, key.namespaceId);
