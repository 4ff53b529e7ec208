import type { Collection } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

type Cancel = NonNullable<NonNullable<BuildDoc["concurrency"]>["cancel"]>;

/** A build that kills older builds of its group. The builds of one matrix count as equally old. */
type Killer = Pick<BuildDoc, "_id" | "createdAt" | "group">;

const unfinished = ["queued", "running"] as const;

export const groupBuilds = (builds: Collection<BuildDoc>) => ({
  /** Returns the newest unfinished build of a group with this `cancel`. */
  killerIn: (key: string, cancel: Cancel): Promise<Killer | null> =>
    builds
      .find(
        {
          "concurrency.key": key,
          "concurrency.cancel": cancel,
          status: { $in: [...unfinished] },
          awaitsApproval: { $exists: false },
        },
        { projection: { createdAt: 1, group: 1 } },
      )
      .sort({ createdAt: -1, _id: -1 })
      .limit(1)
      .next(),

  /** Returns the ids of at most `max` builds of a group that are older than this one and not to be killed yet, oldest first. */
  olderIn: (key: string, killer: Killer, statuses: readonly (typeof unfinished)[number][], max: number) =>
    builds
      .find(
        {
          "concurrency.key": key,
          status: { $in: [...statuses] },
          killRequestedAt: { $exists: false },
          // Ids of several replicas are in no order.
          $or: [
            { createdAt: { $lt: killer.createdAt } },
            { createdAt: killer.createdAt, _id: { $lt: killer.group?.id ?? killer._id } },
          ],
          ...(killer.group ? { "group.id": { $ne: killer.group.id } } : {}),
        },
        { projection: { _id: 1 } },
      )
      .sort({ createdAt: 1, _id: 1 })
      .limit(max)
      .map((doc) => doc._id)
      .toArray(),
});
