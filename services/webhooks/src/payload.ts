import type { Build } from "@ci/proto/builds/v1/builds";
import { Action, type Event } from "@ci/proto/events/v1/events";
import { eventJson, eventRecords } from "@ci/rest/event";
import { known, wanted } from "@ci/rest/known";
import type { Context } from "./context.js";

/** The newest build of a namespace that has changed: its record shows it. A new namespace has none. */
async function latestBuilds({ builds }: Pick<Context, "builds">, { body }: Event): Promise<readonly Build[]> {
  if (body?.$case !== "namespace" || body.value.action === Action.created) return [];
  return (await builds.getLatestBuilds({ namespaceIds: [body.value.namespace!.id] })).builds;
}

/** The body of the deliveries of an event: the record as the API shows it, in compact JSON. */
export async function payloadOf(ctx: Pick<Context, "accounts" | "builds" | "config">, event: Event): Promise<string> {
  const latest = await latestBuilds(ctx, event);
  const resolved = await ctx.accounts.resolve(wanted([...eventRecords(event), ...latest]));
  return JSON.stringify(eventJson(event, known(ctx.config.publicUrl, resolved, latest)));
}
