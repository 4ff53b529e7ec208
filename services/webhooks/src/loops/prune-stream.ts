import type { Context } from "../context.js";

/** Clocks differ; what is kept longer than it counts can never be recorded a second time. */
const marginMs = 60 * 60 * 1_000;

/** Removes records that nobody can ask for any more, some at a time; answers how many. */
export async function pruneStream({ stream, config, now }: Pick<Context, "stream" | "config" | "now">) {
  const before = new Date(now().getTime() - config.eventLogMs - marginMs);
  let removed = 0;
  for (let some = -1; some !== 0; removed += some) some = await stream.prune(before);
  return removed;
}
