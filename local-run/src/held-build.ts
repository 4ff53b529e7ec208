import type { BuildDoc, JobDoc } from "@ci/builds/domain/build";
import { applyChange, type Change } from "@ci/builds/domain/change";
import type { Emit } from "./events.js";

/** A build in memory. It changes by the same functions as a build that the builds service stores. */
export interface HeldBuild {
  doc(): BuildDoc;
  /** Applies a change, if there is one, and emits its events. */
  change(make: (doc: BuildDoc) => Change | undefined): Promise<void>;
}

/** The domain functions read only the last line. */
const keptChunks = 20;

const secondsOf = ({ startedAt, finishedAt }: Pick<JobDoc, "startedAt" | "finishedAt">): number | undefined =>
  startedAt && finishedAt ? (finishedAt.getTime() - startedAt.getTime()) / 1_000 : undefined;

/** Returns the data of a job's event. */
export const jobEventOf = ({ name, stage, status, reason, exitCode, ...times }: JobDoc) => ({
  name,
  stage,
  status,
  seconds: secondsOf(times),
  exit_code: exitCode,
  reason,
});

export function holdBuild(made: BuildDoc, emit: Emit): HeldBuild {
  let held = made;
  return {
    doc: () => held,
    async change(make) {
      const change = make(held);
      if (!change) return;
      const before = held;
      const after = applyChange(held, change);
      held = { ...after, tail: after.tail.slice(-keptChunks) };
      for (const { job, text } of change.output ?? [])
        if (job !== undefined) await emit({ event: "output", data: { job: before.jobs[job]!.name, text } });
      for (const [at, job] of after.jobs.entries())
        if (job.status !== before.jobs[at]!.status && job.startedAt)
          await emit({ event: "job", data: jobEventOf(job) });
    },
  };
}
