/** The statuses of a build, in order of its lifecycle. */
export const statuses = [
  "queued",
  "running",
  "passed",
  "passed_with_failures",
  "failed",
  "killed",
  "timed_out",
] as const;
