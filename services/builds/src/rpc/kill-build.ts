import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import { kill } from "../domain/moves.js";

async function killOne(ctx: Context, id: number, by: string | undefined): Promise<void> {
  const doc = await ctx.builds.change(id, (build) => kill(build, ctx.now(), by));
  if (doc.killRequestedAt) ctx.bus.nudge(`kill.${id}`);
  ctx.wakeups.wake(id);
}

export const killBuild =
  (ctx: Context): Handlers["killBuild"] =>
  async ({ ref, group: all }, { caller }) => {
    const { _id, namespaceId, group } = await seeBuild(ctx, caller, ref, "write");
    // A kill does not need the name, so it works while the namespaces service is down.
    const by = caller.userId === undefined ? undefined : await ctx.submitter(caller.userId).catch(() => undefined);
    const ids = all && group ? (await ctx.builds.ofGroup(group.id)).map(({ id }) => id) : [_id];
    for (const id of ids) await killOne(ctx, id, by?.username);
    return { namespaceId };
  };
