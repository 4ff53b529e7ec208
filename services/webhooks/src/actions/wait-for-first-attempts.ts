import { setTimeout as pause } from "node:timers/promises";
import type { Context } from "../context.js";

const pollMs = 20;

/** Lets earlier events go out with the old settings, unless the receiver takes too long. */
export async function waitForFirstAttempts({ deliveries, config }: Context, webhookId: number): Promise<void> {
  const endsAt = performance.now() + config.patchWaitMs;
  while (performance.now() < endsAt && (await deliveries.hasFirstPending(webhookId))) await pause(pollMs);
}
