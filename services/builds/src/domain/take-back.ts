import { resetArtifacts } from "./artifacts.js";
import type { BuildDoc, HeldLease } from "./build.js";
import { type Change, requireEventRoom, requireHeld } from "./change.js";
import { addLine, finish, finishKilled, showAll } from "./moves.js";
import { endByVerdict } from "./verdict.js";

/** How often a build may be requeued, and the id of the tag that marks it. */
interface Returns {
  readonly returns: number;
  readonly tagId: number;
}

/** Requeues or ends the build of a silent runner, unless its lease was renewed since it was read as expired. */
export function lose(doc: BuildDoc, ended: HeldLease, limits: Returns, now: Date): Change | undefined {
  const { lease } = doc;
  // A copy without `until` is as its claim wrote it: a renewal would have changed the revision that guards the write.
  const wasRenewed = lease?.until && lease.until.getTime() !== ended.until?.getTime();
  if (lease?.epoch !== ended.epoch || wasRenewed) return undefined;
  return requeue(doc, "Runner lost", limits, now);
}

// A returned build counts as lost. Otherwise a build that fills its runners' disks would be requeued forever.
export function giveBack(doc: BuildDoc, epoch: number, limits: Returns, now: Date): Change {
  requireHeld(doc, epoch);
  return requeue(doc, "Runner stopped", limits, now);
}

const notStarted = { status: "queued", startedAt: undefined } as const;

/** Takes back a build whose claim was given up before the runner heard of it. This counts as no return. */
export function unclaim(doc: BuildDoc, epoch: number, now: Date): Change | undefined {
  if (doc.status !== "running" || doc.epoch !== epoch) return undefined;
  if (doc.killRequestedAt) return finishKilled(doc, now);
  requireEventRoom(doc);
  return { set: { ...notStarted, lease: undefined, jobs: doc.jobs.map((job) => ({ ...job, ...notStarted })) } };
}

function requeue(read: BuildDoc, why: string, limits: Returns, now: Date): Change {
  const doc = showAll(read);
  if (doc.killRequestedAt) return finishKilled(doc, now);
  const ended = endByVerdict(read, why, now);
  if (ended) return ended;
  if (doc.returns >= limits.returns)
    return finish(doc, addLine(doc, `${why}, no attempts left`, now), "failed", now, why.toLowerCase());
  const returns = doc.returns + 1;
  const output = addLine(doc, `${why}, build queued again (${returns} of ${limits.returns})`, now);
  const jobs = doc.jobs.map((job) => ({
    ...job,
    ...notStarted,
    finishedAt: undefined,
    exitCode: undefined,
    reason: undefined,
    tests: undefined,
    beside: undefined,
  }));
  const isTagged = doc.tags.some((tag) => tag.name === "orphaned");
  const tag = { id: limits.tagId, userId: doc.userId, buildId: doc._id, name: "orphaned", createdAt: now };
  return {
    ...output,
    set: {
      ...output.set,
      ...(doc.parts ? { parts: doc.parts } : {}),
      ...notStarted,
      lease: undefined,
      returns,
      jobs,
      tests: undefined,
      ...resetArtifacts(doc),
      objects: doc.objects.map((object) => ({ ...object, placed: false })),
      tags: isTagged ? doc.tags : [...doc.tags, tag],
    },
  };
}
