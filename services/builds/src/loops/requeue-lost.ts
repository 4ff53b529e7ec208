import { follow } from "@ci/kit/caller";
import { about } from "@ci/kit/log";
import { traced } from "@ci/kit/trace";
import type { Context } from "../context.js";
import { lose } from "../domain/moves.js";
import { requeue } from "../requeue.js";

/** One pass: takes builds back from runners that have gone silent. Answers how many. */
export async function requeueLost(ctx: Context): Promise<number> {
  const found = await ctx.builds.lost();
  for (const { _id: id, lease } of found) {
    const { trail } = await ctx.builds.byId(id);
    await follow(trail, () =>
      traced("requeue", { from: trail?.traceparent }, () => {
        about({ build: id });
        return requeue(ctx, id, (build, limits) => lose(build, lease, limits, ctx.now()));
      }),
    );
  }
  return found.length;
}
