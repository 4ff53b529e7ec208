import { notFound } from "@ci/kit/rpc/fault";
import { batched } from "@ci/kit/turns/batch";
import type { QueueReason } from "@ci/rest/queue-reasons";
import type { Context } from "../../context.js";
import { untilLongMs, waitingText } from "../../domain/line.js";
import type { PlaceQuery } from "../queue/queue-reasons.js";
import type { Followed } from "./feeds.js";
import type { Known } from "./followed-news.js";

/** Returns a function that reads a build for its followers, unless it is known, with the reason why it waits. */
export function followedReader(ctx: () => Pick<Context, "builds" | "places" | "now">) {
  const reasonOf = batched<PlaceQuery, QueueReason>({ maxItems: 500, waitMs: 0 }, (all) => ctx().places.reasons(all));
  return async (id: number, { written, held }: Known): Promise<Followed> => {
    const build = written ?? (await ctx().builds.followed(id, held));
    if (!build) throw notFound();
    if (build.status !== "queued") return { build };
    const lookAgainMs = untilLongMs(build.createdAt!, ctx().now());
    if (lookAgainMs > 0) return { build, lookAgainMs };
    return { build, waiting: waitingText(await reasonOf(build), build.driver.type) };
  };
}
