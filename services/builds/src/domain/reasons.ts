import type { Build_Status } from "@ci/proto/builds/v1/builds";
import type { BuildDoc, JobDoc } from "./build.js";

/** A reason is a phrase. Longer ones are cut. */
const maxLength = 500;

export const shortReason = (text = ""): string | undefined =>
  text
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, maxLength)
    .replace(/\p{Surrogate}/gu, "") || undefined;

export const killedReason = (by: string | undefined): string => (by === undefined ? "killed" : `killed by ${by}`);

const ends: Partial<Record<Build_Status, string>> = {
  failed: "had failed",
  killed: "was killed",
  timed_out: "had timed out",
};

/** Reports whether a job is only for failures, and its turn came before the first one. */
function wasPassedOver({ jobs, steps }: Pick<BuildDoc, "jobs" | "steps">, index: number): boolean {
  if (!steps[index]?.skipAfterSuccess) return false;
  const first = jobs.findIndex(({ status }) => status === "running" || ends[status] !== undefined);
  const isBeside = steps[first]?.parallel === true && jobs[first]!.stage === jobs[index]!.stage;
  return index < first || isBeside;
}

/** Returns the reason for a job that never ran in a build that ends with this status. */
export function notRun(doc: Pick<BuildDoc, "jobs" | "steps">, index: number, status: Build_Status): string {
  const end = wasPassedOver(doc, index) ? undefined : ends[status];
  return `not run: the build ${end ?? "had not failed"}`;
}

const failures: Partial<Record<Build_Status, string>> = {
  failed: "failed: ",
  passed_with_failures: "passed with failures: ",
};

/** Returns the line of output that says why a build ended with this status. */
export const lastLine = (status: Build_Status, reason: string): string => `Build ${failures[status] ?? ""}${reason}`;

const withoutReason: Partial<Record<Build_Status, string>> = { killed: "killed", timed_out: "timed out" };

/** Returns why a job ended with this status: the runner's reason, or a default. */
export function reasonOfJob(
  { killRequestedAt, killRequestedBy }: Pick<BuildDoc, "killRequestedAt" | "killRequestedBy">,
  status: Build_Status,
  { reason }: { readonly reason?: string },
): string | undefined {
  if (killRequestedAt) return killedReason(killRequestedBy);
  return status === "passed" ? undefined : (shortReason(reason) ?? withoutReason[status]);
}

/** Returns why a build ended with this status: the reason of the first job with that status. */
export const reasonOfBuild = (jobs: readonly JobDoc[], status: Build_Status): string | undefined =>
  status === "passed" ? undefined : jobs.find((job) => job.status === status)?.reason;
