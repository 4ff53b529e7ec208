import type { Assignment } from "@ci/proto/builds/v1/queue";

export const isSetup = ({ jobs }: Assignment, index: number): boolean =>
  index === 0 || (jobs[index]!.source ?? jobs[index]!.service) !== undefined;

/** Says that nothing was run, once the setup has passed: until then, a failure may still start jobs. */
export function sayIfNothingRuns(build: Assignment, index: number, say: (line: string) => void): void {
  const { jobs, leftOutJobs = 0 } = build;
  const own = jobs.filter((_, at) => !isSetup(build, at));
  const decides = own.length === 0 ? 0 : jobs.length - own.length - 1;
  const due = own.filter(({ skipAfterSuccess }) => !skipAfterSuccess);
  if (index !== decides || due.some(({ commands }) => commands.some((one) => one.trim() !== ""))) return;
  const hasJobs = own.length + leftOutJobs > 0;
  const otherwise = hasJobs ? "No job of the manifest is for this build" : "The manifest has no jobs";
  say(`${due.length > 0 ? "No job of this build has commands" : otherwise}: nothing was run`);
}
