import type { components } from "@service-ci/client";
import { recordsAt } from "./pages.js";
import type { Session } from "./session.js";

type Job = components["schemas"]["Job"];

const failed = ["failed", "killed", "timed_out", "passed_with_failures"];

/** Yields the jobs of the build at a path that ran and failed, were killed or timed out. */
export async function* failedJobs(session: Pick<Session, "client">, build: string): AsyncGenerator<Job> {
  for await (const record of recordsAt(session, `${build}/jobs`, { brief: "true" })) {
    const job = record as unknown as Job;
    if (job.started_at !== null && failed.includes(job.status)) yield job;
  }
}
