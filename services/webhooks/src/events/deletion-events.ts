import type { ReceivedEvent } from "@ci/kit/bus/event-headers";
import { Action, type Event } from "@ci/proto/events/v1/events";
import { deactivateOfUser, removeInNamespace } from "../actions/apply-deletion.js";
import type { Context } from "../context.js";
import { deletesOwnNamespace } from "./new-delivery.js";

const deletesUser = ({ body }: Event): boolean => body?.$case === "user" && body.value.action === Action.deleted;

/** Cuts events into batches of which only the last one may remove or deactivate webhooks: later ones need what remains. */
export function* upToDeletions(events: readonly ReceivedEvent[]): Generator<ReceivedEvent[]> {
  let batch: ReceivedEvent[] = [];
  for (const event of events) {
    batch.push(event);
    if (!deletesOwnNamespace(event) && !deletesUser(event)) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Removes or deactivates webhooks if the event deletes their namespace or user. Its deliveries must be stored. */
export async function applyDeletionEvent(ctx: Context, event: ReceivedEvent): Promise<void> {
  const { body, namespaceId, at = ctx.now() } = event;
  if (body?.$case === "user" && deletesUser(event)) await deactivateOfUser(ctx, body.value.user!.id, at);
  if (!deletesOwnNamespace(event)) return;
  await ctx.deletions.record([{ kind: "namespace", id: namespaceId! }]);
  await removeInNamespace(ctx, namespaceId!);
}
