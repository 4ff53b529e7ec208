import { setTimeout as delay } from "node:timers/promises";
import { writeTicket } from "@ci/access/image-ticket";
import { duplicateKey } from "@ci/kit/mongo/duplicates";
import { isMongoAway } from "@ci/kit/mongo/mongo-away";
import { addLogFields } from "@ci/kit/process/log";
import { traced } from "@ci/kit/process/trace";
import { withTrail } from "@ci/kit/rpc/caller";
import { asFault, Fault } from "@ci/kit/rpc/fault";
import { decrypt } from "@ci/kit/security/secrets";
import type { Assignment, ClaimBuildRequest } from "@ci/proto/builds/v1/queue";
import { maxKilled } from "../../actions/kill-replaced.js";
import type { Picked } from "../../actions/queue/claim-turns.js";
import { requeue } from "../../actions/queue/requeue.js";
import { takeSlots } from "../../actions/queue/take-slots.js";
import type { Context, QueueHandlers } from "../../context.js";
import { assignment } from "../../domain/assignment.js";
import type { BuildDoc } from "../../domain/build.js";
import { newLeaseSecret } from "../../domain/lease-secret.js";
import { type Claimer, claim, isClaimedBy } from "../../domain/moves.js";
import { unclaim } from "../../domain/take-back.js";
import type { Turn } from "../../store/queue/line.js";

/** Most users whose builds one claim tries while limits hold them back. The next claim continues after them. */
const maxTurns = 50;
/** Most attempts of one claim for the same user while other claims are faster. */
const maxAttempts = 50;
const repeatMs = 200;

const inSubmissionTrace = (doc: BuildDoc, work: () => Promise<BuildDoc>): Promise<BuildDoc> =>
  withTrail(doc.trail, () =>
    traced("claim", { from: doc.trail?.traceparent, attributes: { "ci.build": doc._id } }, work),
  );

/** Claims a build. If it is unknown whether the claim was stored, repeats it: otherwise it would count as a lost runner. */
async function take(
  ctx: Context,
  read: BuildDoc,
  { signal, ...claimer }: Claimer & Pick<Asking, "signal">,
): Promise<BuildDoc | undefined> {
  const { leaseMs } = ctx.config;
  const leaseEndsMs = performance.now() + leaseMs;
  const decide = (doc: BuildDoc) => {
    if (isClaimedBy(doc, claimer)) return undefined;
    if (signal.aborted) throw new Fault("conflict", "The runner has left");
    return claim(doc, claimer, leaseMs, ctx.now());
  };
  for (let known: BuildDoc | undefined = read; ; known = undefined) {
    try {
      return await inSubmissionTrace(read, () => ctx.builds.change(read._id, decide, known));
    } catch (error) {
      // Another runner has claimed this build, or another build of its group.
      if (duplicateKey(error) || asFault(error).code === "conflict") return undefined;
      if (!isMongoAway(error) || ctx.signal.aborted || performance.now() > leaseEndsMs) throw error;
    }
    await delay(repeatMs);
  }
}

/** Kills builds that a newer one replaces, maybe the picked one. Returns `crowded` if one claim may not kill them all. */
async function stateOfGroup(ctx: Context, { concurrency }: BuildDoc, { killed }: Asking) {
  if (!concurrency) return "free";
  const { ids, hasMore } = await ctx.killReplaced(concurrency.key, maxKilled - killed.size);
  for (const id of ids) killed.add(id);
  if (hasMore) return "crowded";
  return (await ctx.queue.runningGroups([concurrency.key])).length > 0 ? "busy" : "free";
}

/** A runner that asks for a build. */
interface Asking extends Claimer {
  readonly drivers: ClaimBuildRequest["drivers"];
  /** Fires when nobody will hear of the claim. */
  readonly signal: AbortSignal;
  readonly killed: Set<number>;
}

interface Claimed {
  readonly doc: BuildDoc;
  /** No other build was queued for the runner's drivers. One that is queued during the claim wakes the runner again. */
  readonly wasLast: boolean;
}

/** Claims a picked build. If it was the user's last queued build, the user leaves the line. */
async function takePicked(
  ctx: Context,
  turn: Turn,
  { doc: read, isOnly }: Picked,
  { drivers, signal, killed: _, ...claimer }: Asking,
) {
  const slots = await takeSlots(ctx, read);
  if (typeof slots === "string") return slots;
  const others = isOnly && ctx.line.hasOthers(drivers, turn).catch(() => true);
  const latestMs = performance.now() + ctx.config.leaseMs / 2;
  const [doc, hasOthers] = await Promise.all([take(ctx, read, { ...claimer, signal }), others]);
  // A runner counts its lease from its request, and would give up a build of a late claim soon.
  const isLate = signal.aborted || performance.now() > latestMs;
  if (doc && isLate) await requeue(ctx, doc._id, (build) => unclaim(build, doc.epoch, ctx.now()));
  if (!doc || isLate) {
    for (const slot of slots) await ctx.slots.give(slot);
    return undefined;
  }
  if (isOnly) ctx.line.leave(turn);
  return { doc, wasLast: isOnly && !hasOthers };
}

/** Claims a user's oldest build that no limit holds back. */
async function takeOldest(ctx: Context, turn: Turn, asking: Asking): Promise<Claimed | undefined> {
  const fullRoots: number[] = [];
  let busyGroups = false;
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const picked = await ctx.claims.pick(turn, { roots: fullRoots, busyGroups });
    if (!picked) return undefined;
    try {
      if (asking.signal.aborted) return undefined;
      const group = await stateOfGroup(ctx, picked.doc, asking);
      if (group === "crowded") return undefined;
      if (asking.killed.has(picked.doc._id)) continue;
      if (group === "busy") {
        busyGroups = true;
        continue;
      }
      const taken = await takePicked(ctx, turn, picked, asking);
      if (taken === "limit of user") return undefined;
      if (taken === "limit of namespace") fullRoots.push(picked.doc.rootId!);
      else if (taken) return taken;
    } finally {
      picked.release();
    }
  }
  return undefined;
}

/** Gives users their turns in order until a build can be claimed. `heldBack`: builds wait, but none can be claimed now. */
async function claimNext(ctx: Context, asking: Asking) {
  const tried = new Set<string>();
  while (tried.size < maxTurns && !asking.signal.aborted) {
    const turn = await ctx.claims.next(asking.drivers, tried);
    if (!turn) break;
    tried.add(turn._id);
    const claimed = await takeOldest(ctx, turn, asking).catch((err) => {
      if (isMongoAway(err)) throw err;
      ctx.log.error({ err, user: turn.userId }, "no build of a user can be claimed; the next user gets a turn");
      return undefined;
    });
    if (claimed) return { ...claimed, heldBack: false };
  }
  return { doc: undefined, wasLast: false, heldBack: tried.size > 0 };
}

/** A runner may request the image just before its time to prepare ends. */
const ticketMarginMs = 60_000;

function ticketFor(ctx: Context, assigned: Assignment, { ancestorIds }: BuildDoc): string | undefined {
  const { driver, prepareTimeoutMs, userId, namespaceId, namespaceOnly } = assigned;
  if (driver?.type !== "qemu") return undefined;
  const until = new Date(ctx.now().getTime() + prepareTimeoutMs + ticketMarginMs);
  const image = { name: driver.image, userId, namespaceId, ancestorIds, namespaceOnly };
  return writeTicket(ctx.config.keyring, image, until);
}

export const claimBuild =
  (ctx: Context): QueueHandlers["claimBuild"] =>
  async (request, { signal }) => {
    const { leaseMs, renewEveryMs, keyring } = ctx.config;
    await ctx.runners.recordClaim(request, ctx.now());
    ctx.places.runnerAsked(request.drivers);
    const { secret: leaseSecret, hash: leaseHash } = newLeaseSecret();
    const { runnerId, drivers } = request;
    const { doc, heldBack, wasLast } = await claimNext(ctx, {
      runnerId,
      drivers,
      leaseHash,
      signal,
      killed: new Set(),
    });
    if (!doc) return { leaseMs, renewEveryMs, heldBack, wasLast };
    addLogFields({ build: doc._id });
    ctx.wakeups.wakeHere(doc);
    const plain = (sealed: string, kind: string, id: number) => decrypt(keyring, sealed, { kind, id });
    const assigned = assignment(doc, { ...ctx.config, followsOrder: request.followsOrder }, plain);
    const imageTicket = ticketFor(ctx, assigned, doc);
    const granted = { installation: ctx.installation, leaseSecret, imageTicket, takesPrepared: true };
    return { assignment: { ...assigned, ...granted }, leaseMs, renewEveryMs, heldBack, wasLast };
  };
