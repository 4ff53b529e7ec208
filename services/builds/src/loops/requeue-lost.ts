import { fairly } from "@ci/kit/process/fairly";
import { addLogFields } from "@ci/kit/process/log";
import { traced } from "@ci/kit/process/trace";
import { withTrail } from "@ci/kit/rpc/caller";
import { requeue } from "../actions/queue/requeue.js";
import type { Context } from "../context.js";
import { lose } from "../domain/take-back.js";
import type { LostBuild } from "../store/build-leases.js";

/** A build that is requeued is in the heap, and may have 16 MiB. */
const maxAtOnce = 4;

const requeueOne = (ctx: Context, { _id: id, lease, trail }: LostBuild): Promise<void> =>
  withTrail(trail, () =>
    traced("requeue", { from: trail?.traceparent }, () => {
      addLogFields({ build: id });
      return requeue(ctx, id, (build, limits) => lose(build, lease, limits, ctx.now()));
    }),
  );

/** Requeues the builds of runners that went silent. Returns their number; undefined if others may follow. */
export async function requeueLost(ctx: Context): Promise<number | undefined> {
  const endsInMs = await ctx.builds.firstLeaseEndsInMs();
  if (endsInMs === undefined) return 0;
  if (endsInMs >= 0) return undefined;
  const lost = await ctx.builds.lost();
  const inTurn = fairly<number>(maxAtOnce, lost.length, "Too many lost builds");
  const requeued = await Promise.allSettled(
    lost.map((build) =>
      inTurn(build.userId, () =>
        requeueOne(ctx, build).catch(async (error) => {
          await ctx.builds.postpone(build._id, build.lease, ctx.config.leaseMs);
          throw error;
        }),
      ),
    ),
  );
  for (const one of requeued) if (one.status === "rejected") throw one.reason;
  return lost.length;
}
