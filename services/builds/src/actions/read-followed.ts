import { notFound } from "@ci/kit/rpc/fault";
import type { Context } from "../context.js";
import { waitingText } from "../domain/line.js";
import type { FollowedBuild } from "../store/build-queries.js";
import type { Followed } from "./feeds.js";

/** Reads a build for its followers unless it is given, with the reason why it waits. */
export async function readFollowed(
  { builds, places }: Pick<Context, "builds" | "places">,
  id: number,
  given?: FollowedBuild,
): Promise<Followed> {
  const build = given ?? (await builds.followed(id));
  if (!build) throw notFound();
  if (build.status !== "queued") return { build };
  const { userId, rootId, driver, awaitsApproval, concurrency } = build;
  const [reason] = await places.reasons([{ userId, rootId, driver, awaitsApproval, concurrency }]);
  return { build, waiting: waitingText(reason!, driver.type) };
}
