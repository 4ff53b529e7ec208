import type { Log } from "@ci/kit/process/log";
import type { QueueServiceClient } from "@ci/proto/builds/v1/queue";
import type { Driver, Leftover, Mark } from "../driver.js";

export interface Sweeping {
  readonly drivers: Iterable<Pick<Driver, "leftovers">>;
  readonly queue: Pick<QueueServiceClient, "listLeases">;
  readonly runnerId: string;
  readonly running: () => readonly Mark[];
  readonly log: Log;
}

const isSame = (one: Mark, other: Mark) =>
  one.installation === other.installation && one.buildId === other.buildId && one.epoch === other.epoch;

/** Removes what crashed runners left: all with this runner's name and installation but no lease. */
export async function sweep({ drivers, queue, runnerId, running, log }: Sweeping): Promise<number> {
  // Leftovers first, leases second: a build that starts in between is not mistaken for a leftover.
  const all = await Promise.all(
    [...drivers].map((driver) =>
      driver.leftovers().catch((error) => {
        log.warn({ err: error }, "leftovers not listed; the next sweep will retry it");
        return [];
      }),
    ),
  );
  const runsHere = (mark: Mark) => running().some((one) => isSame(one, mark));
  const unused = all.flat().filter(({ mark }) => !runsHere(mark));
  if (unused.length === 0) return 0;
  const { leases, installation } = await queue.listLeases({ runnerId });
  let removed = 0;
  for (const { mark, what, remove } of unused) {
    if (mark.installation !== undefined && mark.installation !== installation) continue;
    const isLeased = leases.some(({ buildId, epoch }) => mark.buildId === buildId && mark.epoch === epoch);
    if (isLeased || runsHere(mark)) continue;
    await remove().then(
      () => removed++,
      (error) => log.warn({ err: error, what, ...mark }, "leftover not removed; the next sweep will retry it"),
    );
  }
  if (removed > 0) log.info({ removed }, "removed leftovers");
  return removed;
}

/** Removes what crashes and failed sweeps left here of a build's earlier attempts. Throws if some of it may still run. */
export async function removeEarlier(driver: Pick<Driver, "leftovers">, { installation, buildId, epoch }: Mark) {
  if (epoch === 1) return;
  const isEarlier = ({ mark }: Leftover) =>
    mark.buildId === buildId && mark.epoch < epoch && (mark.installation ?? installation) === installation;
  await Promise.all((await driver.leftovers()).filter(isEarlier).map(({ remove }) => remove()));
}
