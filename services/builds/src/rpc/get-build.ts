import type { Context, Handlers } from "../context.js";
import { outputEnd } from "../output.js";
import { shown } from "../places.js";
import { seeBuild } from "./see.js";

export const getBuild =
  (ctx: Context): Handlers["getBuild"] =>
  async ({ ref, brief }, { caller }) => {
    const doc = await seeBuild(ctx, caller, ref);
    const build = await shown(ctx, doc);
    return { build: brief ? build : { ...build, output: await outputEnd(ctx, doc, ctx.config.outputJsonBytes) } };
  };
