import type { Context } from "../context.js";

/** How long an idle lane is kept. Other processes ask the holder to send during that time. */
const maxIdleMs = 1_000;

/** Releases idle lanes and writes the health of webhooks. Returns the number of lanes. */
export async function releaseIdleLanes(
  { writes, idleLanes }: Pick<Context, "writes" | "idleLanes">,
  forMs = maxIdleMs,
): Promise<number> {
  const webhookIds = idleLanes.removeIdle(forMs);
  await writes.releaseLanes(webhookIds);
  return webhookIds.length;
}
