import { Fault } from "@ci/kit/rpc/fault";
import { type BuildDoc, isFinal, type JobDoc, type Verdict } from "./build.js";
import { applyChange, type Change, joined, requireHeld } from "./change.js";
import { addJobLines, finishJob } from "./moves.js";
import { shortReason } from "./reasons.js";

export function recordVerdict(doc: BuildDoc, verdict: Verdict, now: Date): Change {
  requireHeld(doc, verdict.epoch);
  const set = { verdict: { ...verdict, reason: shortReason(verdict.reason) } };
  if (!endByVerdict({ ...doc, ...set }, "", now))
    throw new Fault("conflict", `Job ${verdict.jobId} does not end build ${doc._id}`);
  return { set };
}

/** Ends a build whose runner is gone as its verdict says. Returns undefined if this claim of the build has none. */
export function endByVerdict(doc: BuildDoc, why: string, now: Date): Change | undefined {
  const { verdict } = doc;
  if (verdict?.epoch !== doc.epoch) return undefined;
  const index = doc.jobs.findIndex(({ id }) => id === verdict.jobId);
  if (doc.jobs[index]?.status !== "running") return undefined;
  const unreported = { status: "failed", finishedAt: now, reason: why.toLowerCase() } as const;
  const isUnreported = ({ status }: JobDoc, at: number) => status === "running" && at !== index;
  const jobs = doc.jobs.map((job, at) => (isUnreported(job, at) ? { ...job, ...unreported } : job));
  const alone = { ...doc, jobs };
  const { outcome, reason } = verdict;
  const hasFailed = outcome === "failed" && reason !== undefined;
  const lines = [`${why} while the failed machine stayed`, ...(hasFailed ? [`Job failed: ${reason}`] : [])];
  const said = joined({ set: { jobs } }, addJobLines(alone, index, lines.join("\n"), now));
  const report = { ...verdict, offset: 0, text: "", placed: [], followsOrder: true };
  const ended = finishJob(applyChange(alone, said), report, now);
  return ended?.set.status && isFinal(ended.set.status) ? joined(said, ended) : undefined;
}
