import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { quoted } from "@ci/kit/rpc/fault";
import type { Headers, Provider } from "./change.js";
import { textAt } from "./payload.js";

const maxReasons = fixedLimit({
  max: 50,
  about: "reasons that a hook's delivery keeps",
  effect: "further ones are left out",
});
const maxReasonLength = fixedLimit({
  max: 500,
  about: "characters of a reason that a hook's delivery keeps",
  effect: "the rest is cut",
});

export const boundedReasons = (reasons: readonly string[]): string[] =>
  reasons.slice(0, maxReasons).map((reason) => reason.slice(0, maxReasonLength).replace(/\p{Surrogate}$/u, ""));

export const earlierUsers = "received for an earlier user of this repository; push again";

export const disconnected = "the repository was disconnected before its builds ended";

export const notReported = "its status could not be reported; redeliver it later";

/** Returns the mark in a commit's message that asks for no build. */
export const skipMark = (message: string): string | undefined => /\[(?:skip ci|ci skip)\]/i.exec(message)?.[0];

const isZeros = (sha: string): boolean => /^0+$/.test(sha);

/** Returns why an event has no commit to build. */
export function reasonForNothing(provider: Provider, headers: Headers, payload: unknown): string {
  if (typeof payload !== "object" || payload === null) return "the payload is not JSON";
  const event = provider.event(headers, payload);
  const kind = Object.hasOwn(provider.built, event) ? provider.built[event] : undefined;
  if (kind === undefined) return `the event ${quoted(event) || "without a name"} makes no build`;
  if (kind === "push")
    return isZeros(textAt(payload, "after"))
      ? "a branch or tag was deleted"
      : "the payload names no commit of a branch or tag";
  const action = textAt(payload, "action") || textAt(payload, "object_attributes", "action");
  return provider.actions.includes(action)
    ? "the payload names no new commit"
    : `a request that is ${quoted(action) || "without an action"} makes no build`;
}
