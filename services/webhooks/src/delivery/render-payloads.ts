import type { Build } from "@ci/proto/builds/v1/builds";
import { Action, type Event } from "@ci/proto/events/v1/events";
import { eventJson, eventRecords } from "@ci/rest/event";
import { relationIds, relationsOf } from "@ci/rest/relations";
import type { Context } from "../context.js";

/** Namespaces whose records show their newest build. A new namespace has none. */
const changedNamespaces = ({ body }: Event): number[] =>
  body?.$case === "namespace" && body.value.action !== Action.created ? [body.value.namespace!.id] : [];

async function latestBuilds({ builds }: Pick<Context, "builds">, events: readonly Event[]): Promise<readonly Build[]> {
  const namespaceIds = [...new Set(events.flatMap(changedNamespaces))];
  return namespaceIds.length === 0 ? [] : (await builds.getLatestBuilds({ namespaceIds })).builds;
}

/** Renders each event's record as the API returns it, in compact JSON. */
export async function renderPayloads(
  ctx: Pick<Context, "accounts" | "builds" | "config">,
  events: readonly Event[],
): Promise<string[]> {
  const latest = await latestBuilds(ctx, events);
  const resolved = await ctx.accounts.resolve(relationIds([...events.flatMap(eventRecords), ...latest]));
  const relations = relationsOf(ctx.config.publicUrl, resolved, latest);
  return events.map((event) => JSON.stringify(eventJson(event, relations)));
}
