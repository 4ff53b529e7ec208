import type { Context } from "../context.js";
import { streamKeys } from "../streams/wakeups.js";

const lookAgainMs = 500;
/** While NATS is away nobody records. The process that then begins reads all followers. */
const patienceMs = 5_000;

type Parts = Pick<Context, "followers" | "streamWakeups">;

/** Notes that a user follows, and waits until the process that records events knows. */
export async function follow({ followers, streamWakeups }: Parts, userId: number, signal: AbortSignal): Promise<void> {
  if (await followers.see(userId)) return;
  using watch = streamWakeups.watch([streamKeys.user(userId)]);
  streamWakeups.wake([streamKeys.newFollower]);
  const untilMs = performance.now() + patienceMs;
  while (!signal.aborted && performance.now() < untilMs && !(await followers.isKnown(userId)))
    await watch.wokenUp(lookAgainMs, signal);
}
