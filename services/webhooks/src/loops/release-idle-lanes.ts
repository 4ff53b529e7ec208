import type { NothingYet } from "@ci/kit/process/loop";
import type { Context } from "../context.js";

/** How long an idle lane is kept. Other processes ask the holder to send during that time. */
const maxIdleMs = 1_000;

/** Lanes that become idle one after another are released together. */
const gatherMs = 100;

/** Releases idle lanes and writes the health of webhooks. Returns when the next lane will be due; 0 if none is idle. */
export async function releaseIdleLanes(
  { writes, idleLanes }: Pick<Context, "writes" | "idleLanes">,
  forMs = maxIdleMs,
): Promise<0 | NothingYet> {
  const webhookIds = idleLanes.removeIdle(forMs);
  if (webhookIds.length > 0) await writes.releaseLanes(webhookIds);
  const nextInMs = idleLanes.nextInMs(forMs);
  return nextInMs === undefined ? 0 : { nextInMs: Math.max(gatherMs, nextInMs) };
}
