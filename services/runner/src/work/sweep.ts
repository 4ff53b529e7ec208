import type { Log } from "@ci/kit/process/log";
import { inTurn } from "@ci/kit/turns/in-turn";
import type { QueueServiceClient } from "@ci/proto/builds/v1/queue";
import { type Driver, isSameMark, type Leftover, type Mark, nobody } from "../driver.js";

interface Sweeping {
  readonly drivers: Iterable<Pick<Driver, "leftovers">>;
  readonly queue: Pick<QueueServiceClient, "listLeases">;
  readonly runnerId: string;
  readonly running: () => readonly Mark[];
  readonly log: Log;
}

/** A sweep and a build that runs again may remove the same thing, which an engine refuses while it is being removed. */
const removing = inTurn<string>();
const removed = ({ what, remove }: Leftover): Promise<void> => removing(what, remove);

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
  const runsHere = (mark: Mark) => running().some((one) => isSameMark(one, mark));
  const unused = all.flat().filter(({ mark }) => !runsHere(mark));
  if (unused.length === 0) return 0;
  const { leases, installation } = await queue.listLeases({ runnerId });
  let count = 0;
  for (const one of unused) {
    const { mark, what } = one;
    if (mark.installation !== undefined && mark.installation !== installation) continue;
    const isLeased = leases.some(({ buildId, epoch }) => mark.buildId === buildId && mark.epoch === epoch);
    if (isLeased || runsHere(mark)) continue;
    await removed(one).then(
      () => count++,
      (error) => log.warn({ err: error, what, ...mark }, "leftover not removed; the next sweep will retry it"),
    );
  }
  if (count > 0) log.info({ removed: count }, "removed leftovers");
  return count;
}

/**
 * Removes what crashes and failed sweeps left here of a build's earlier attempts, and what they left of unknown builds.
 * Throws if some of it may still run.
 */
export async function removeEarlier(
  driver: Pick<Driver, "leftovers">,
  { installation, buildId, epoch }: Mark,
  log: Log,
) {
  if (epoch === 1) return;
  const isOwn = ({ mark }: Leftover) => mark.buildId === buildId && mark.epoch < epoch;
  const errors: unknown[] = [];
  // One after another: what a container holds can be removed only after it.
  for (const one of await driver.leftovers()) {
    const isUnknown = one.mark.buildId === nobody;
    if ((one.mark.installation ?? installation) !== installation || !(isOwn(one) || isUnknown)) continue;
    await removed(one).catch((err) => {
      log.warn({ err, what: one.what }, "leftover not removed; the next sweep will retry it");
      if (isOwn(one) || one.mayRun) errors.push(err);
    });
  }
  if (errors.length > 0) throw errors[0];
}
