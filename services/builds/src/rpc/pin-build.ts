import { outputEnd } from "../actions/output/output.js";
import { queuePlacesById, withQueuePlace } from "../actions/queue/queue-places.js";
import { seeBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";
import { requireEventRoom, withEvent } from "../domain/change.js";

export const pinBuild =
  (ctx: Context): Handlers["pinBuild"] =>
  async ({ ref, pinned }, { caller }) => {
    const found = await seeBuild(ctx, caller, ref, [], "write");
    const details = { actorId: caller.userId, queue: (await queuePlacesById(ctx, [found])).get(found._id) };
    const kind = pinned ? "build.pinned" : "build.unpinned";
    const doc = await ctx.builds.change(found._id, (build) => {
      if (build.pinned === pinned) return undefined;
      requireEventRoom(build);
      return withEvent(build, { set: { pinned } }, kind, ctx.now(), details);
    });
    return {
      build: { ...(await withQueuePlace(ctx, doc)), output: await outputEnd(ctx, doc, ctx.config.outputJsonBytes) },
    };
  };
