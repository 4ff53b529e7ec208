import { addLogFields } from "@ci/kit/process/log";
import { traced } from "@ci/kit/process/trace";
import { withTrail } from "@ci/kit/rpc/caller";
import type { Assignment, ClaimBuildResponse } from "@ci/proto/builds/v1/queue";
import { runBuild } from "../build.js";
import type { Context } from "../context.js";
import type { Mark } from "../driver.js";
import { Ended, raceAbort } from "../endings/ended.js";
import { isConflict } from "../endings/errors.js";
import { retry } from "../endings/retry.js";
import { keepLease, type Lease } from "./lease.js";
import { removeEarlier } from "./sweep.js";

export interface Work {
  claim(): Promise<void>;
  /** Checks at once whether this build has been killed. */
  checkKill(buildId: number): void;
  running(): readonly Mark[];
  drain(): Promise<void>;
  /** Gives all builds back and resolves when their environments are gone. */
  stop(): Promise<void>;
}

/** A shutdown of the whole system must not wait for the queue longer than this. */
const usualReturnMs = 2_000;

interface Running {
  readonly mark: Mark;
  readonly lease: Lease;
  readonly done: Promise<void>;
  /** The build has ended; its environment is being removed. */
  over: boolean;
}

/**
 * Runs up to `config.builds` builds at a time. A place is free once a build's end is reported, before its environment
 * is gone; but no more environments than places may await removal. Calls `onFree` when that lets another build run.
 */
export function openWork(ctx: Context, onFree: () => void): Work {
  const running = new Set<Running>();
  const draining = new AbortController();
  let stopping = false;
  /** The end of a build may free another one: the last claim stopped for want of room, is under way, or found limits. */
  let waitsForEnd = false;
  let claiming: Promise<void> = Promise.resolve();

  const hasRoom = () =>
    running.size < 2 * ctx.config.builds && [...running].filter(({ over }) => !over).length < ctx.config.builds;

  function wakeClaims(): void {
    if (!waitsForEnd) return;
    waitsForEnd = false;
    onFree();
  }

  function start(build: Assignment, { leaseMs, renewEveryMs }: ClaimBuildResponse, claimedAt: number): void {
    const { installation, buildId, epoch } = build;
    const mark: Mark = { installation, buildId, epoch };
    const trail = { requestId: build.requestId };
    const lease = withTrail(trail, () => keepLease(ctx.queue, mark, { leaseMs, renewEveryMs, claimedAt }));
    const onOver = () => {
      lease[Symbol.dispose]();
      one.over = true;
      wakeClaims();
    };
    const done = withTrail(trail, async () => {
      await endOfEarlier(running, mark, lease.ended);
      const broken = await runClaimed({ ...ctx, draining: draining.signal }, build, { lease, onOver });
      if ((broken || stopping) && !one.over) await giveBack(ctx, mark);
    }).finally(() => {
      running.delete(one);
      if (!one.over) onOver();
      else wakeClaims();
    });
    const one: Running = { mark, lease, done, over: false };
    running.add(one);
  }

  async function claim(): Promise<void> {
    const drivers = await ctx.readiness.drivers();
    while (!draining.signal.aborted && drivers.length > 0) {
      waitsForEnd = true;
      if (!hasRoom()) return;
      const claimedAt = performance.now();
      const { id: runnerId, builds: places } = ctx.config;
      const response = await ctx.queue.claimBuild({ runnerId, drivers, places, followsOrder: true });
      waitsForEnd = response.heldBack;
      if (!response.assignment) return;
      if (stopping) return giveBack(ctx, response.assignment);
      start(response.assignment, response, claimedAt);
      if (response.wasLast) return;
    }
  }

  return {
    claim() {
      claiming = claim();
      return claiming;
    },
    checkKill(buildId) {
      for (const { mark, lease, over } of running) if (!over && mark.buildId === buildId) lease.renew();
    },
    running: () => [...running].map(({ mark }) => mark),
    async drain() {
      draining.abort();
      // A pending claim may still bring a build.
      await claiming.catch(() => undefined);
      await Promise.all([...running].map(({ done }) => done));
    },
    async stop() {
      draining.abort();
      stopping = true;
      const all = [...running];
      for (const { lease } of all) lease.lose();
      await Promise.all(all.map(({ done }) => done));
    },
  };
}

/** After a long freeze, a runner may get a build again whose environment it is still removing. Waits until that is gone. */
function endOfEarlier(running: Iterable<Running>, { buildId, epoch }: Mark, signal: AbortSignal): Promise<unknown> {
  const earlier = [...running].filter(({ mark }) => mark.buildId === buildId && mark.epoch < epoch);
  return raceAbort(signal, Promise.all(earlier.map(({ done }) => done))).catch(() => undefined);
}

/** Runs a build. Returns true if this machine failed and the build has to be given back. */
async function runClaimed(
  ctx: Context,
  build: Assignment,
  { lease, onOver }: { lease: Lease; onOver: () => void },
): Promise<boolean> {
  const { buildId, epoch } = build;
  addLogFields({ build: buildId, epoch });
  const startedAt = performance.now();
  const logEnd = (how: string) => ctx.log.info({ ms: Math.round(performance.now() - startedAt) }, how);
  try {
    const driver = build.driver && ctx.drivers.get(build.driver.type);
    if (!driver) throw new Error("this runner does not serve the build's driver");
    const { traceparent: from, number } = build;
    await raceAbort(lease.ended, removeEarlier(driver, build, ctx.log));
    const attributes = { "ci.build": buildId, "ci.number": number, "ci.epoch": epoch, "ci.driver": driver.type };
    await traced("build", { kind: "consumer", from, attributes }, () =>
      runBuild(ctx, driver, build, { lease, onOver }),
    );
    logEnd("build ended");
    ctx.readiness.worked(driver.type);
    return false;
  } catch (error) {
    const isLost = error instanceof Ended || lease.lost.aborted || isConflict(error);
    if (isLost) logEnd("build given up");
    else ctx.log.warn({ err: error }, "build given back");
    if (!isLost && build.driver) ctx.readiness.failed(build.driver.type);
    return !isLost;
  }
}

/** Requeues a build now. If that fails, it is requeued when its lease ends. */
async function giveBack(ctx: Context, { buildId, epoch }: Mark): Promise<void> {
  const signal = AbortSignal.timeout(ctx.times?.returnWithinMs ?? usualReturnMs);
  await retry(signal, () => ctx.queue.returnBuild({ buildId, epoch }, { signal })).catch((err) =>
    ctx.log.info({ err }, "build not given back, its lease will end"),
  );
}
