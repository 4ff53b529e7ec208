import { quoted } from "@ci/kit/rpc/fault";
import { eventNames } from "@ci/rest/event-names";

/** The events that webhooks can listen to, in the order in which lists return them. */
export const eventKinds: readonly string[] = eventNames;

/** Returns the kinds that a request subscribes to. No names mean all. */
export const subscribedKinds = (names: readonly string[]): string[] =>
  eventKinds.filter((kind) => names.length === 0 || names.includes(kind));

export const unknownKindErrors = (names: readonly string[], field = "Events"): string[] =>
  [...new Set(names)]
    .filter((name) => !eventKinds.includes(name))
    .map((name) => `${field} unknown event ${quoted(name)}`);
