import type { Context } from "../context.js";
import { type Killing, killBuild } from "./kill-build.js";
import { ownTask } from "./own-task.js";

/** Most builds that one submission or one claim kills before it continues. */
export const maxKilled = 50;

/** Most groups whose builds a process kills in the background. */
const maxGroups = 4;

const killed = { queued: ["queued"], running: ["queued", "running"] } as const;

interface Replaced {
  readonly ids: readonly number[];
  readonly hasMore: boolean;
}

async function killSome(ctx: Killing, key: string, max: number): Promise<Replaced> {
  const ids: number[] = [];
  for (const cancel of ["queued", "running"] as const) {
    const killer = await ctx.builds.killerIn(key, cancel);
    if (!killer) continue;
    const left = max - ids.length;
    const older = await ctx.builds.olderIn(key, killer, killed[cancel], left + 1);
    for (const id of older.slice(0, left)) {
      await killBuild(ctx, id, "a newer build", ({ status }) => cancel === "queued" && status !== "queued");
      ids.push(id);
    }
    if (older.length > left) return { ids, hasMore: true };
  }
  return { ids, hasMore: false };
}

/**
 * Returns a function that kills builds of a group that a newer one replaces (`concurrency.cancel`): some at once, the
 * others in the background. Safe to repeat. Claims call it too, in case the process that queued the newer build has died.
 */
export function killingReplaced(context: () => Context) {
  const groups = new Set<string>();

  async function killRest(ctx: Context, key: string): Promise<void> {
    while (!ctx.signal.aborted && (await killSome(ctx, key, maxKilled)).hasMore);
    for (const driver of ctx.config.drivers) ctx.bus.nudge(`queue.${driver}`);
  }

  function continueLater(ctx: Context, key: string): void {
    if (groups.has(key) || groups.size >= maxGroups) return;
    groups.add(key);
    const killing = killRest(ctx, key)
      .catch((err) => ctx.log.warn({ err }, "replaced builds not killed; a claim will retry it"))
      .finally(() => groups.delete(key));
    void ownTask(ctx, killing);
  }

  return async (key: string, max = maxKilled): Promise<Replaced> => {
    const ctx = context();
    const replaced = await killSome(ctx, key, groups.has(key) ? 0 : max);
    if (replaced.hasMore) continueLater(ctx, key);
    return replaced;
  };
}
