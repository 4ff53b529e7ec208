import { addLogFields } from "@ci/kit/process/log";
import { traced } from "@ci/kit/process/trace";
import { withTrail } from "@ci/kit/rpc/caller";
import type { Context } from "../context.js";
import { lose } from "../domain/moves.js";
import { requeue } from "../requeue.js";

/** One pass: takes builds back from runners that have gone silent. Answers how many. */
export async function requeueLost(ctx: Context): Promise<number> {
  const ids = await ctx.builds.lost(ctx.now());
  for (const id of ids) {
    const read = await ctx.builds.byId(id);
    const { trail } = read;
    await withTrail(trail, () =>
      traced("requeue", { from: trail?.traceparent }, () => {
        addLogFields({ build: id });
        return requeue(ctx, read, (build, limits) => lose(build, limits, ctx.now()));
      }),
    );
  }
  return ids.length;
}
