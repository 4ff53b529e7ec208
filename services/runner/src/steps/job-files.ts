import type { Environment, Job } from "../driver.js";

/** The files that a job sees. Only this signal ends reading, because its abort may end the environment. */
export const filesOf = (
  environment: Environment,
  job: Job,
  signal: AbortSignal,
): Pick<Environment, "list" | "open"> => ({
  list: (directory, depth) => environment.list(directory, depth, signal, job),
  open: (path) => environment.open(path, signal, job),
});
