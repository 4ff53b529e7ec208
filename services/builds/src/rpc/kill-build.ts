import { killBuild as kill } from "../actions/kill-build.js";
import { seeBuild } from "../actions/see.js";
import { groupMembers } from "../actions/submit/group-members.js";
import type { Context, Handlers } from "../context.js";

export const killBuild =
  (ctx: Context): Handlers["killBuild"] =>
  async ({ ref, group: all }, { caller }) => {
    const { _id, namespaceId, group } = await seeBuild(ctx, caller, ref, [], "write");
    // A kill does not need the name, so it works while the namespaces service is down.
    const by = caller.userId === undefined ? undefined : await ctx.submitter(caller.userId).catch(() => undefined);
    const ids = all && group ? (await groupMembers(ctx, group.id)).map(({ id }) => id) : [_id];
    for (const id of ids) await kill(ctx, id, by?.username);
    return { namespaceId };
  };
