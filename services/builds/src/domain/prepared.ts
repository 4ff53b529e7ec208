import type { PreparedJob } from "@ci/proto/builds/v1/queue";
import type { BuildDoc } from "./build.js";
import { applyChange, type Change, joined } from "./change.js";
import { finishJob, type JobReport } from "./moves.js";

/**
 * Finishes the job that has prepared the environment, and in the same write the one after it. The first may have been
 * reported before. Returns undefined if both have already finished.
 */
export function finishPrepared(
  doc: BuildDoc,
  { ageMs, placedObjectIds: placed, ...end }: PreparedJob,
  report: JobReport,
  now: Date,
): Change | undefined {
  const startedAt = doc.startedAt?.getTime() ?? now.getTime();
  const endedAt = new Date(Math.max(startedAt, now.getTime() - Math.max(0, ageMs)));
  const { epoch, followsOrder } = report;
  const first = finishJob(doc, { ...end, epoch, followsOrder, outcome: "passed", placed }, endedAt);
  if (!first) return finishJob(doc, report, now);
  const second = finishJob(applyChange(doc, first), report, now);
  // A build that was to be killed has ended with the first job.
  return second ? joined(first, second) : first;
}
