import type { FinishJobRequest_Outcome } from "@ci/proto/builds/v1/queue";
import type { BuildDoc } from "../src/domain/build.js";
import { applyChange, type Change } from "../src/domain/change.js";
import { claim, finishJob, type JobReport } from "../src/domain/moves.js";
import { toShortBuild } from "../src/domain/shown-build.js";
import { aBuild, after, t0 } from "./_build.js";

export const lease = { runnerId: "r1", leaseHash: "h" };
export const leaseMs = 15_000;
export const running = (overrides: Partial<BuildDoc> = {}) => {
  const doc = aBuild(overrides);
  const claimed = applyChange(doc, claim(doc, lease, leaseMs, t0));
  return { ...claimed, lease: { ...claimed.lease!, until: after(leaseMs) } };
};
export const kinds = (change: Change | undefined) => (change?.events ?? []).map((event) => event.kind);
export const textOf = (doc: BuildDoc) => toShortBuild(doc).output;
export const statuses = (doc: BuildDoc) => doc.jobs.map((job) => job.status);

/** Finishes the running job. */
export function end(
  doc: BuildDoc,
  outcome: FinishJobRequest_Outcome,
  text = "",
  how: Pick<JobReport, "exitCode" | "reason"> = {},
): { doc: BuildDoc; change?: Change } {
  const job = doc.jobs.find((candidate) => candidate.status === "running")!;
  const request = { epoch: doc.epoch, jobId: job.id, outcome, offset: doc.outputBytes, text, placed: [], ...how };
  const change = finishJob(doc, request, after(1_000));
  return { doc: change ? applyChange(doc, change) : doc, change };
}
