import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Job } from "../api.js";
import { hasFailed, isFinished } from "../format.js";
import { isRead } from "../output/keep-in-view.js";
import type { Place } from "../routes.js";

/** As in narrow.css: the output is below the list of jobs. */
const narrow = matchMedia("(max-width: 46rem)");

/** The default job to show: a running one, else the first that failed, else the last that ran. */
function mainJob(jobs: readonly Job[]): Job | undefined {
  const first = (has: (status: string) => boolean) => jobs.find(({ status }) => has(status));
  const ran = jobs.filter(({ started_at }) => started_at);
  return first((status) => status === "running") ?? first(hasFailed) ?? ran.at(-1) ?? jobs[0];
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

/** Scrolls to the output in `root` on a narrow screen when the address names another job. Returns what scrolls there. */
export function useOutputInView({ job, line }: Place, root: RefObject<HTMLElement | null>): () => void {
  const last = useRef(job);
  const scroll = () => {
    if (narrow.matches) root.current?.querySelector(".output")?.scrollIntoView({ behavior: "instant" });
  };
  useEffect(() => {
    if (job !== undefined && job !== last.current && line === undefined) scroll();
    last.current = job;
  }, [job]);
  return scroll;
}
