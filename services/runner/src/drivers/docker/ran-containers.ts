import type Docker from "dockerode";
import type { Job } from "../../driver.js";

/** Further containers are made when their jobs begin. */
const maxFilledEarly = 7;

/** Returns the job after this one, or all of its parallel stage. */
export function jobsAfter(jobs: readonly Job[], { id }: Job): readonly Job[] {
  const [next, ...later] = jobs.slice(jobs.findIndex((one) => one.id === id) + 1);
  if (next?.beside === undefined) return next ? [next] : [];
  const end = later.findIndex(({ beside }) => beside !== next.beside);
  return [next, ...later.slice(0, end < 0 ? maxFilledEarly : Math.min(end, maxFilledEarly))];
}

interface Ran {
  readonly job: Job;
  readonly container: Docker.Container;
}

/** The containers of jobs that run or have run, until others take their place. */
export function ranContainers(remove: (container: Docker.Container) => void) {
  /** Oldest first. */
  let ran: Ran[] = [];
  return {
    add: (one: Ran) => void ran.push(one),
    /** Returns the container of a job, or of the last one; undefined if it has not run. */
    of: (job: Job | undefined): Docker.Container | undefined =>
      ran.findLast((one) => job === undefined || one.job.id === job.id)?.container,
    /** Removes the containers of jobs and attempts that are over when this job starts. */
    removeOlder(started: Job, own: Docker.Container): void {
      const isBeside = ({ job, container }: Ran) =>
        container === own || (job.beside !== undefined && job.beside === started.beside && job.id !== started.id);
      const over = ran.filter((one) => !isBeside(one));
      ran = ran.filter(isBeside);
      for (const { container } of over) remove(container);
    },
  };
}
