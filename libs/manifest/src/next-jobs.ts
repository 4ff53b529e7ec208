/** When a job runs. The builds service and the runner decide with the same function what runs next. */
export interface OrderedJob {
  readonly stage: string;
  /** Runs at the same time as the other jobs of its stage. */
  readonly parallel?: boolean | undefined;
  /** Runs only in a build that has failed. */
  readonly skipAfterSuccess?: boolean | undefined;
  /** Runs also in a build that has failed. */
  readonly runAfterFailure?: boolean | undefined;
}

const isBeside = (a: OrderedJob, b: OrderedJob | undefined): boolean =>
  a.parallel === true && b?.parallel === true && a.stage === b.stage;

/**
 * Returns the indexes of the jobs that run after this one, or after all of its parallel stage: several if they run at
 * the same time, none at the end. The first job prepares the environment, so nothing runs after its failure.
 */
export function nextJobs(jobs: readonly OrderedJob[], after: number, failed: boolean): number[] {
  if (failed && after === 0) return [];
  const runs = (job: OrderedJob) => (failed ? job.runAfterFailure === true : job.skipAfterSuccess !== true);
  let at = after;
  while (isBeside(jobs[at]!, jobs[at + 1])) at++;
  do at++;
  while (at < jobs.length && !runs(jobs[at]!));
  if (at >= jobs.length) return [];
  const next = [at];
  for (let other = at + 1; isBeside(jobs[at]!, jobs[other]); other++) if (runs(jobs[other]!)) next.push(other);
  return next;
}
