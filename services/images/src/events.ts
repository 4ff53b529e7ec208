import { type OutboxEvent, outboxEvent } from "@ci/kit/mongo/document";
import type { Action, Event } from "@ci/proto/events/v1/events";
import type { Image } from "@ci/proto/images/v1/images";
import type { Context } from "./context.js";

/** An image was created or deleted, or its download has ended; then nobody acted. */
export const imageChanged = (act: { at: Date; actorId?: number }, action: Action, image: Image): OutboxEvent =>
  outboxEvent({
    kind: "images",
    at: act.at,
    actorId: act.actorId,
    namespaceId: image.namespaceId,
    body: { $case: "image", value: { action, image } },
  });

/** What this service does when something happens elsewhere. Repeating it is harmless. */
export const onEvent =
  ({ deletions }: Pick<Context, "deletions">) =>
  async ({ body }: Event): Promise<void> => {
    if (body?.$case === "namespace" && body.value.action === "deleted" && body.value.namespace)
      await deletions.deleted({ kind: "namespace", id: body.value.namespace.id });
  };
