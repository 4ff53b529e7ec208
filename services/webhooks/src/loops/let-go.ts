import type { Context } from "../context.js";

/** So long a lane is kept that nothing comes for. Another process that has something for it says so meanwhile. */
const idleMs = 1_000;

/** Writes what webhooks are to be told, and gives up the lanes that nothing came for; answers how many. */
export async function letGo({ desk, holds }: Pick<Context, "desk" | "holds">, forMs = idleMs): Promise<number> {
  const idle = holds.idle(forMs);
  await desk.tell(idle);
  return idle.length;
}
