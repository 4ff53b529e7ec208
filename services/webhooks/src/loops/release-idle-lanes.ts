import type { NothingYet } from "@ci/kit/process/loop";
import type { Context } from "../context.js";

/** How long an idle lane is kept, longer than the slowest rate limit makes one wait. Other processes ask the holder to send then. */
const maxIdleMs = 1_500;

const forever = Number.POSITIVE_INFINITY;

/** Lanes that become idle one after another are released together. */
const gatherMs = 100;

/** Releases idle lanes, and writes health that has waited as long. Returns when there will be more to do; 0 if no lane is held. */
export async function releaseIdleLanes(
  { writes, lanes, idleLanes }: Pick<Context, "writes" | "lanes" | "idleLanes">,
  forMs = maxIdleMs,
): Promise<0 | undefined | NothingYet> {
  const webhookIds = idleLanes.removeIdle(forMs);
  if (webhookIds.length > 0 || (writes.healthInMs(forMs) ?? forever) <= 0) await writes.releaseLanes(webhookIds);
  const nextInMs = Math.min(idleLanes.nextInMs(forMs) ?? forever, writes.healthInMs(forMs) ?? forever);
  if (nextInMs < forever) return { nextInMs: Math.max(gatherMs, nextInMs) };
  return lanes.areRunning() ? undefined : 0;
}
