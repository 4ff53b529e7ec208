import { addLogFields } from "@ci/kit/process/log";
import { traced } from "@ci/kit/process/trace";
import { withTrail } from "@ci/kit/rpc/caller";
import { fairly } from "@ci/kit/turns/fairly";
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

async function requeueAll(ctx: Context, lost: readonly LostBuild[]): Promise<void> {
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
}

/** Returns a pass that requeues the builds of silent runners, and returns their number; undefined if others may follow. */
export function requeueingLost(ctx: Context): () => Promise<number | undefined> {
  const { builds, clock, config, log } = ctx;
  let knownSteps = clock.steps();
  let stepsWaitUntil = 0;

  // A step ends the leases of runners that live, or keeps those of dead ones. Runners do not notice it.
  async function restartAfterStep(): Promise<boolean> {
    const steps = clock.steps();
    // Further steps wait. If each restarted the leases at once, a clock that keeps changing would let none end.
    if (steps === knownSteps || performance.now() < stepsWaitUntil) return false;
    await builds.restartLeases(config.leaseMs);
    stepsWaitUntil = performance.now() + 2 * config.leaseMs;
    knownSteps = steps;
    log.warn("the clock of MongoDB differs from before by more than two seconds, so all leases begin again");
    return true;
  }

  return async () => {
    if (await restartAfterStep()) return undefined;
    const endsInMs = await builds.firstLeaseEndsInMs();
    if (endsInMs === undefined) return 0;
    if (endsInMs >= 0) return undefined;
    const lost = await builds.lost();
    await clock.compare();
    if (await restartAfterStep()) return undefined;
    await requeueAll(ctx, lost);
    return lost.length;
  };
}
