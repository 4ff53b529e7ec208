import { outputEnd } from "../actions/output/output.js";
import { withQueuePlace } from "../actions/queue/queue-places.js";
import { seeBuild } from "../actions/see.js";
import { offer } from "../actions/submit/announce.js";
import type { Context, Handlers } from "../context.js";
import { approve } from "../domain/approval.js";

export const approveBuild =
  (ctx: Context): Handlers["approveBuild"] =>
  async ({ ref }, { caller }) => {
    const { _id } = await seeBuild(ctx, caller, ref, [], "write");
    const doc = await ctx.builds.change(_id, approve);
    // Also if the build is already approved: an earlier process may have died between the two writes.
    if (doc.status === "queued") await offer(ctx, [doc]);
    ctx.wakeups.wake(doc);
    return {
      build: { ...(await withQueuePlace(ctx, doc)), output: await outputEnd(ctx, doc, ctx.config.outputJsonBytes) },
    };
  };
