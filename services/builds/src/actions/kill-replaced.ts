import { type Killing, killBuild } from "./kill-build.js";

/** Most builds that one call kills. Later calls kill the rest before a claim can take one of them. */
const maxKilled = 50;

const killed = { queued: ["queued"], running: ["queued", "running"] } as const;

/**
 * Kills builds of a group that a newer one replaces (`concurrency.cancel`). Safe to repeat. Claims call it too, in case
 * the process that queued the newer build has died.
 */
export async function killReplaced(ctx: Killing, key: string): Promise<void> {
  for (const cancel of ["queued", "running"] as const) {
    const killer = await ctx.builds.killerIn(key, cancel);
    if (!killer) continue;
    for (const id of await ctx.builds.olderIn(key, killer, killed[cancel], maxKilled))
      await killBuild(ctx, id, "a newer build", ({ status }) => cancel === "queued" && status !== "queued");
  }
}
