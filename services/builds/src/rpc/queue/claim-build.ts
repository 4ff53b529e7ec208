import { addLogFields } from "@ci/kit/process/log";
import { traced } from "@ci/kit/process/trace";
import { withTrail } from "@ci/kit/rpc/caller";
import { asFault } from "@ci/kit/rpc/fault";
import { decrypt } from "@ci/kit/security/secrets";
import type { ClaimBuildRequest } from "@ci/proto/builds/v1/queue";
import type { Context, QueueHandlers } from "../../context.js";
import { assignment } from "../../domain/assignment.js";
import type { BuildDoc } from "../../domain/build.js";
import { claim } from "../../domain/moves.js";
import { takeSlots } from "../../limits.js";
import type { Place } from "../../store/line.js";

/** Users one claim gives a turn to, while limits hold back the first of them; the next claim goes on behind them. */
const mostTurns = 50;
/** How often a claim tries again for one user, while others are quicker. */
const mostTries = 50;

/** The claim as a part of the request that submitted the build, which no runner knows yet. */
const inItsTrace = (doc: BuildDoc, work: () => Promise<BuildDoc>): Promise<BuildDoc> =>
  withTrail(doc.trail, () =>
    traced("claim", { from: doc.trail?.traceparent, attributes: { "ci.build": doc._id } }, work),
  );

/** Takes this build unless somebody else was quicker. */
async function take(ctx: Context, read: BuildDoc, runnerId: string): Promise<BuildDoc | undefined> {
  const { leaseMs } = ctx.config;
  try {
    return await inItsTrace(read, () =>
      ctx.builds.change(read._id, (doc) => claim(doc, { runnerId }, leaseMs, ctx.now()), read),
    );
  } catch (error) {
    if (asFault(error).code === "conflict") return undefined;
    throw error;
  }
}

/** Takes the oldest build of a user that no limit holds back; a user without builds leaves the line. */
async function takeOldest(ctx: Context, turn: Place, runnerId: string): Promise<BuildDoc | undefined> {
  const fullRoots: number[] = [];
  for (let tries = 0; tries < mostTries; tries++) {
    const oldest = await ctx.queue.oldest(turn.driver, turn.userId, fullRoots);
    if (!oldest) {
      if (fullRoots.length === 0) await ctx.line.leave(turn);
      return undefined;
    }
    const slots = await takeSlots(ctx, oldest);
    if (slots === "limit of user") return undefined;
    if (slots === "limit of namespace") {
      fullRoots.push(oldest.rootId!);
      continue;
    }
    const doc = await take(ctx, oldest, runnerId);
    if (doc) return doc;
    for (const slot of slots) await ctx.slots.give(slot);
  }
  return undefined;
}

/** Gives each user a turn, whoever has waited longest for one first. */
async function next(ctx: Context, { runnerId, drivers }: ClaimBuildRequest): Promise<BuildDoc | undefined> {
  const had = new Set<string>();
  while (had.size < mostTurns) {
    const turn = await ctx.line.next(drivers);
    if (!turn || had.has(turn._id)) return undefined;
    had.add(turn._id);
    const doc = await takeOldest(ctx, turn, runnerId);
    if (doc) return doc;
  }
  return undefined;
}

export const claimBuild =
  (ctx: Context): QueueHandlers["claimBuild"] =>
  async (ask) => {
    const { leaseMs, renewEveryMs, keyring } = ctx.config;
    await ctx.runners.asked(ask.runnerId, ask.drivers, ctx.now());
    const doc = await next(ctx, ask);
    if (!doc) return { leaseMs, renewEveryMs };
    addLogFields({ build: doc._id });
    ctx.news.tell(doc._id);
    const plain = (sealed: string, kind: string, id: number) => decrypt(keyring, sealed, { kind, id });
    const { installation } = ctx;
    return { assignment: { ...assignment(doc, ctx.config, plain), installation }, leaseMs, renewEveryMs };
  };
