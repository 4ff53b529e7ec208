import { withQueuePlace } from "../actions/queue/queue-places.js";
import { showBuild } from "../actions/see.js";
import { wholeBuild } from "../actions/whole-build.js";
import type { Context, Handlers } from "../context.js";

export const getBuild =
  (ctx: Context): Handlers["getBuild"] =>
  async ({ ref, brief }, { caller }) => ({
    build: brief ? await withQueuePlace(ctx, await showBuild(ctx, caller, ref)) : await wholeBuild(ctx, caller, ref),
  });
