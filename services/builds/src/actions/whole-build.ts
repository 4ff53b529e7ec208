import type { Caller } from "@ci/kit/rpc/caller";
import type { Build } from "@ci/proto/builds/v1/builds";
import type { Context } from "../context.js";
import { outputEnd } from "./output/output.js";
import { withQueuePlace } from "./queue/queue-places.js";
import { showBuild } from "./see.js";

/** Returns a build with its place in the queue and the end of its output. */
export async function wholeBuild(ctx: Context, caller: Caller, ref: Parameters<typeof showBuild>[2]): Promise<Build> {
  const doc = await showBuild(ctx, caller, ref);
  const build = await withQueuePlace(ctx, doc);
  return { ...build, output: await outputEnd(ctx, doc, ctx.config.outputJsonBytes) };
}
