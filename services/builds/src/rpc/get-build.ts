import { outputEnd } from "../actions/output/output.js";
import { withQueuePlace } from "../actions/queue/queue-places.js";
import { showBuild } from "../actions/see.js";
import type { Context, Handlers } from "../context.js";

export const getBuild =
  (ctx: Context): Handlers["getBuild"] =>
  async ({ ref, brief }, { caller }) => {
    const doc = await showBuild(ctx, caller, ref);
    const build = await withQueuePlace(ctx, doc);
    return { build: brief ? build : { ...build, output: await outputEnd(ctx, doc, ctx.config.outputJsonBytes) } };
  };
