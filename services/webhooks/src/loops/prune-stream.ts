import type { Context } from "../context.js";

/** Clocks differ. A record that outlives the log cannot be recorded a second time. */
const marginMs = 60 * 60 * 1_000;

type Parts = Pick<Context, "stream" | "followers" | "followed" | "config" | "now">;

export async function pruneStream({ stream, followers, followed, config, now }: Parts) {
  const before = new Date(now().getTime() - config.eventLogMs - marginMs);
  let removed = 0;
  for (let batch = -1; batch !== 0; removed += batch) batch = await stream.prune(before);
  await followers.prune(before);
  followed.forget();
  return removed;
}
