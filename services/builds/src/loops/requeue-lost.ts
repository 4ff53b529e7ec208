import { addLogFields } from "@ci/kit/process/log";
import { traced } from "@ci/kit/process/trace";
import { withTrail } from "@ci/kit/rpc/caller";
import type { Context } from "../context.js";
import { lose } from "../domain/moves.js";
import { requeue } from "../requeue.js";

/** One pass: takes builds back from runners that have gone silent. Answers how many. */
export async function requeueLost(ctx: Context): Promise<number> {
  const found = await ctx.builds.lost();
  for (const { _id: id, lease } of found) {
    const { trail } = await ctx.builds.byId(id);
    await withTrail(trail, () =>
      traced("requeue", { from: trail?.traceparent }, () => {
        addLogFields({ build: id });
        return requeue(ctx, id, (build, limits) => lose(build, lease, limits, ctx.now()));
      }),
    );
  }
  return found.length;
}
