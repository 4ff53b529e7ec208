import { type OutboxEvent, outboxEvent } from "@ci/kit/mongo/document";
import type { Action } from "@ci/proto/events/v1/events";
import type { Image } from "@ci/proto/images/v1/images";

/** Returns the event of a created or deleted image, or of a finished download. A download has no actor. */
export const imageChanged = (act: { at: Date; actorId?: number }, action: Action, image: Image): OutboxEvent =>
  outboxEvent({
    kind: "images",
    at: act.at,
    actorId: act.actorId,
    namespaceId: image.namespaceId,
    body: { $case: "image", value: { action, image } },
  });
