/** The statuses of a build, in the order of its life. */
export const statuses = [
  "queued",
  "running",
  "passed",
  "passed_with_failures",
  "failed",
  "killed",
  "timed_out",
] as const;
