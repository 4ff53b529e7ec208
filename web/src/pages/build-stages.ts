import type { Job } from "../api.js";

/** Divides jobs by their stages, in order. */
export function stagesOf(jobs: readonly Job[]): [string, Job[]][] {
  const stages = new Map<string, Job[]>();
  for (const job of jobs) {
    const stage = stages.get(job.stage);
    if (stage) stage.push(job);
    else stages.set(job.stage, [job]);
  }
  return [...stages];
}
