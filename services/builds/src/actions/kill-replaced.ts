import type { Context } from "../context.js";
import { kill } from "../domain/moves.js";

type Needs = Pick<Context, "builds" | "bus" | "wakeups" | "now">;

/** How many builds one call kills. Later calls kill the rest, and no claim takes one of them before that. */
const maxKilled = 50;

const killed = { queued: ["queued"], running: ["queued", "running"] } as const;

/**
 * Kills builds of a group that a newer one replaces (`concurrency.cancel`). Safe to repeat. Claims call it too, in case
 * the process that queued the newer build has died.
 */
export async function killReplaced(ctx: Needs, key: string): Promise<void> {
  for (const cancel of ["queued", "running"] as const) {
    const killer = await ctx.builds.killerIn(key, cancel);
    if (!killer) continue;
    for (const id of await ctx.builds.olderIn(key, killer, killed[cancel], maxKilled)) {
      const doc = await ctx.builds.change(id, (build) =>
        cancel === "queued" && build.status !== "queued" ? undefined : kill(build, ctx.now(), "a newer build"),
      );
      if (doc.killRequestedAt) ctx.bus.nudge(`kill.${id}`);
      ctx.wakeups.wake(id);
    }
  }
}
