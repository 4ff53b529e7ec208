import { type OutboxEvent, outboxEvent } from "@ci/kit/mongo/document";
import type { Action, Event } from "@ci/proto/events/v1/events";
import type { Key, StoredObject, Variable } from "@ci/proto/namespaces/v1/resources";
import type { Act } from "./events.js";

const event = (act: Act, kind: string, namespaceId: number | undefined, body: Event["body"]): OutboxEvent =>
  outboxEvent({ kind, at: act.at, actorId: act.actorId, namespaceId, body });

/** An object was created or deleted. */
export const objectChanged = (act: Act, action: Action, object: StoredObject): OutboxEvent =>
  event(act, "objects", object.namespaceId, { $case: "object", value: { action, object } });

/** A variable was created or deleted; a masked value must have been replaced already. */
export const variableChanged = (act: Act, action: Action, variable: Variable): OutboxEvent =>
  event(act, "variables", variable.namespaceId, { $case: "variable", value: { action, variable } });

/** A key was created, updated or deleted. */
export const keyChanged = (act: Act, action: Action, key: Key): OutboxEvent =>
  event(act, "ssh_keys", key.namespaceId, { $case: "key", value: { action, key } });
