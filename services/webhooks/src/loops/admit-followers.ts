import type { Context } from "../context.js";
import { streamKeys } from "../streams/wakeups.js";

/** Lets new followers begin: from now on their events are recorded. */
export async function admitFollowers({ followed, streamWakeups }: Pick<Context, "followed" | "streamWakeups">) {
  const admitted = await followed.admit();
  if (admitted.length > 0) streamWakeups.wake(admitted.map(streamKeys.user));
  return admitted.length;
}
