import type { ReceivedEvent } from "@ci/kit/bus/event-headers";
import { Action } from "@ci/proto/events/v1/events";
import { deactivateDeparted } from "../actions/deactivate-departed.js";
import type { Context } from "../context.js";

/** Applies the end of a collaboration, also that of a deleted user. It may be repeated. */
export async function recordDeparture(ctx: Context, { body, at = ctx.now() }: ReceivedEvent): Promise<void> {
  if (body?.$case === "collaborator" && body.value.action === Action.deleted)
    await deactivateDeparted(ctx, body.value, at);
}
