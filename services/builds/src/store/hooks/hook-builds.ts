import type { Collection, Filter } from "mongodb";
import type { BuildDoc } from "../../domain/build.js";
import { requestsPrefix } from "../../domain/hooks/change.js";
import type { Pushed } from "../../domain/hooks/tip.js";
import { type BuildsSize, maxPerDay, maxWaiting, type Unapproved } from "../../domain/hooks/unapproved.js";
import { unapprovedIndex } from "../indexes.js";

const maxKilled = 50;

/** Counts at most `max` unapproved builds of a repository, from the index alone. */
async function unapprovedSize(
  builds: Collection<BuildDoc>,
  repositoryId: number,
  which: Filter<BuildDoc>,
  max: number,
): Promise<BuildsSize> {
  const sums = { builds: { $sum: 1 }, bytes: { $sum: "$unapprovedBytes" } };
  const found = builds.aggregate<BuildsSize>(
    [
      { $match: { "origin.repositoryId": repositoryId, awaitsApproval: true, ...which } },
      { $limit: max },
      { $group: { _id: null, ...sums } },
    ],
    { hint: unapprovedIndex },
  );
  return (await found.next()) ?? { builds: 0, bytes: 0 };
}

export type UnfinishedBuild = Pick<BuildDoc, "_id" | "awaitsApproval"> & { readonly origin: Pushed };

export const hookBuilds = (builds: Collection<BuildDoc>) => ({
  /** Returns the builds of hook deliveries, those of each sorted by the path of their manifest. */
  ofDeliveries: (deliveryIds: readonly string[]) =>
    builds
      .find(
        { "origin.deliveryId": { $in: [...deliveryIds] } },
        { projection: { userId: 1, number: 1, "origin.deliveryId": 1 } },
      )
      .sort({ "origin.deliveryId": 1, "origin.path": 1 })
      .map(({ userId, number, origin }) => ({ userId, number, deliveryId: origin!.deliveryId! }))
      .toArray(),

  /** Returns the order of the newest build of a branch or request; undefined if there is none. */
  newestOf: async (subject: string): Promise<number | undefined> => {
    const newest = builds.find({ "origin.subject": subject }, { projection: { "origin.order": 1 } });
    return (await newest.sort({ "origin.order": -1 }).limit(1).next())?.origin?.order;
  },

  /** Returns the unfinished builds of a branch or request with a lower order. */
  supersededOf: (subject: string, order: number): Promise<UnfinishedBuild[]> =>
    builds
      .find({
        "origin.subject": subject,
        status: { $in: ["queued", "running"] },
        "origin.order": { $lt: order },
      })
      .project<UnfinishedBuild>({ awaitsApproval: 1, "origin.sha": 1, "origin.before": 1, "origin.order": 1 })
      .toArray(),

  /** Returns the ids of some builds of a repository's requests that wait for approval. */
  waitingOf: (repositoryId: number): Promise<number[]> => {
    const prefix = requestsPrefix(repositoryId);
    const subject = { $gte: prefix, $lt: `${prefix}\u{10ffff}` };
    return builds
      .find({ "origin.subject": subject, status: "queued", awaitsApproval: true }, { projection: { _id: 1 } })
      .limit(maxKilled)
      .map(({ _id }) => _id)
      .toArray();
  },

  /** Returns how many builds a hook delivery has, and the bytes of their records. */
  sizeOfDelivery: async (deliveryId: string): Promise<BuildsSize> => {
    const sums = { builds: { $sum: 1 }, bytes: { $sum: { $bsonSize: "$$ROOT" } } };
    const found = builds.aggregate<BuildsSize>([
      { $match: { "origin.deliveryId": deliveryId } },
      { $group: { _id: null, ...sums } },
    ]);
    return (await found.next()) ?? { builds: 0, bytes: 0 };
  },

  /** Returns a repository's builds of forks that no member has approved: those that wait, and the number since a time. */
  async unapprovedOf(repositoryId: number, since: Date): Promise<Omit<Unapproved, "ofCommit">> {
    const made = { status: { $in: ["queued", "killed"] as const }, createdAt: { $gt: since } };
    const [waiting, { builds: madeToday }] = await Promise.all([
      unapprovedSize(builds, repositoryId, { status: "queued" }, maxWaiting),
      unapprovedSize(builds, repositoryId, made, maxPerDay),
    ]);
    return { waiting, madeToday };
  },

  /** Returns the builds of a hook delivery, sorted by the path of their manifest. */
  ofDelivery: (deliveryId: string) =>
    builds
      .find(
        { "origin.deliveryId": deliveryId },
        { projection: { userId: 1, number: 1, status: 1, group: 1, "origin.path": 1 } },
      )
      .sort({ "origin.path": 1 })
      .map(({ _id: id, origin, group, ...build }) => ({ id, ...build, path: origin!.path!, groupId: group?.id }))
      .toArray(),
});
