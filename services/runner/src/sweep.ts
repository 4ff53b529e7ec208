import type { Log } from "@ci/kit/process/log";
import type { QueueServiceClient } from "@ci/proto/builds/v1/queue";
import type { Driver, Mark } from "./driver.js";

/** What a sweep has to know. */
export interface Sweeping {
  readonly drivers: Iterable<Pick<Driver, "leftovers">>;
  readonly queue: Pick<QueueServiceClient, "listLeases">;
  readonly runnerId: string;
  /** The builds that run in this process: whatever is theirs is in use. */
  readonly running: () => readonly Mark[];
  readonly log: Log;
}

const holds = (marks: readonly Mark[], { buildId, epoch }: Mark) =>
  marks.some((mark) => mark.buildId === buildId && mark.epoch === epoch);

/**
 * Removes what environments have left behind on this machine, because a runner was killed or an engine was away:
 * all that carries this runner's name and belongs to no build that it has a lease for. Answers how much it removed.
 */
export async function sweep({ drivers, queue, runnerId, running, log }: Sweeping): Promise<number> {
  // First what there is, then what is in use: a build that starts in between is not taken for a leftover.
  const all = await Promise.all(
    [...drivers].map((driver) =>
      driver.leftovers().catch((error) => {
        log.warn({ err: error }, "leftovers cannot be found yet");
        return [];
      }),
    ),
  );
  const unused = all.flat().filter(({ mark }) => !holds(running(), mark));
  if (unused.length === 0) return 0;
  const { leases } = await queue.listLeases({ runnerId });
  let removed = 0;
  for (const { mark, what, remove } of unused) {
    if (holds(leases, mark) || holds(running(), mark)) continue;
    await remove().then(
      () => removed++,
      (error) => log.warn({ err: error, ...mark }, `${what} is left over and cannot be removed yet`),
    );
  }
  if (removed > 0) log.info({ removed }, "leftovers removed");
  return removed;
}
