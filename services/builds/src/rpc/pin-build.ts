import type { Context, Handlers } from "../context.js";
import { reported } from "../domain/change.js";
import { outputEnd } from "../output.js";
import { queuePlaces, shown } from "../places.js";
import { seeBuild } from "./see.js";

export const pinBuild =
  (ctx: Context): Handlers["pinBuild"] =>
  async ({ ref, pinned }, { caller }) => {
    const seen = await seeBuild(ctx, caller, ref, "write");
    const by = { actorId: caller.userId, queue: (await queuePlaces(ctx, [seen])).get(seen._id) };
    const kind = pinned ? "build.pinned" : "build.unpinned";
    const doc = await ctx.builds.change(seen._id, (build) =>
      build.pinned === pinned ? undefined : reported(build, { set: { pinned } }, kind, ctx.now(), by),
    );
    return { build: { ...(await shown(ctx, doc)), output: await outputEnd(ctx, doc, ctx.config.outputJsonBytes) } };
  };
