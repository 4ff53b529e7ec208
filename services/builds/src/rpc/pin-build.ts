import type { Context, Handlers } from "../context.js";
import { reported, toBuild } from "../domain/change.js";
import { outputEnd } from "../output.js";
import { seeBuild } from "./see.js";

export const pinBuild =
  (ctx: Context): Handlers["pinBuild"] =>
  async ({ ref, pinned }, { caller }) => {
    const { _id } = await seeBuild(ctx, caller, ref, "write");
    const kind = pinned ? "build.pinned" : "build.unpinned";
    const doc = await ctx.builds.change(_id, (build) =>
      build.pinned === pinned ? undefined : reported(build, { set: { pinned } }, kind, ctx.now(), caller.userId),
    );
    return { build: { ...toBuild(doc), output: await outputEnd(ctx, doc, ctx.config.outputJsonBytes) } };
  };
