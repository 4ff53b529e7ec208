import type { StreamEvent } from "@service-ci/client";
import type { Build } from "./api.js";
import { isFinished } from "./format.js";

/** Reports whether an event can change a list of builds. A deleted namespace takes its builds along. */
export const changesBuilds = ({ event, data }: Pick<StreamEvent, "event" | "data">): boolean =>
  event.startsWith("build.") || (event === "namespaces" && (data as { action?: string }).action === "deleted");

/** How often a list of builds is read that is not live. */
export const pollEveryMs = (builds: readonly Pick<Build, "status">[]): number =>
  builds.every(({ status }) => isFinished(status)) ? 5_000 : 2_000;

/** How often a live list is read: the place of a queued build changes with builds of others, of which no event tells. */
export const placesEveryMs = (builds: readonly Pick<Build, "queue">[]): number | undefined =>
  builds.some(({ queue }) => queue) ? 15_000 : undefined;
