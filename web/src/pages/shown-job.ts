import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { Job } from "../api.js";
import { isFinished } from "../format.js";
import { isRead } from "../output/keep-in-view.js";

/** The default job to show: a running one, else the first that failed, else the last that ran. */
function mainJob(jobs: readonly Job[]): Job | undefined {
  const first = (...statuses: string[]) => jobs.find(({ status }) => statuses.includes(status));
  const ran = jobs.filter(({ started_at }) => started_at);
  return first("running") ?? first("failed", "timed_out", "killed") ?? ran.at(-1) ?? jobs[0];
}

/**
 * Returns the job to show: the one that the address names, or the main one. The page follows a build from job to job only
 * while the reader is at the end of the output in `root`.
 */
export function useShownJob(
  jobs: readonly Job[],
  named: string | undefined,
  root: RefObject<HTMLElement | null>,
): Job | undefined {
  const last = useRef<{ readonly jobs: readonly Job[]; readonly id: number | undefined }>(undefined);
  const chosen = named === undefined ? undefined : jobs.find(({ name }) => name === named);
  if (chosen) {
    last.current = undefined;
    return chosen;
  }
  if (last.current?.jobs !== jobs) {
    const before = last.current;
    const stays = before?.jobs.every(({ status }) => isFinished(status)) || isRead(root.current);
    const id = stays ? before?.id : undefined;
    last.current = { jobs, id: (jobs.find((job) => job.id === id) ?? mainJob(jobs))?.id };
  }
  return jobs.find(({ id }) => id === last.current?.id);
}
