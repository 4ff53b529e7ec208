import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Collection } from "mongodb";
import type { BuildDoc } from "../../domain/build.js";
import type { Outcome } from "../../domain/hooks/status.js";
import type { BuiltDelivery, HookDelivery } from "./hook-deliveries.js";

/** A delivery with its builds, as they count for the status of its commit. */
type CommitDelivery = Pick<HookDelivery, "_id" | "dueAt"> & Outcome<Pick<BuildDoc, "userId" | "number" | "status">>;

const maxOfCommit = fixedLimit({
  max: 50,
  about: "deliveries of a repository about one commit that decide its status",
  effect: "only the newest count",
});
const maxPending = fixedLimit({
  max: 200,
  about: "commits of a removed repository whose pending status is replaced at the provider",
  effect: "those of older deliveries stay pending",
});
const idOrRef = { $ifNull: ["$change.id", "$change.ref"] };
const kept = { "change.fork": 1, order: 1, number: 1, dueAt: 1, wrong: 1, reasons: 1 } as const;
const trustedFirst = { "change.fork": 1, order: -1, number: -1 } as const;
const withBuilds = {
  from: "builds",
  localField: "_id",
  foreignField: "origin.deliveryId",
  pipeline: [{ $sort: { "origin.path": 1 } }, { $project: { userId: 1, number: 1, status: 1 } }],
  as: "builds",
};

/** Finds deliveries by what they are about: a commit, or a branch or request. */
export const commitDeliveries = (deliveries: Collection<HookDelivery>) => ({
  /** Returns the order of the newest delivery of a branch or request; undefined if there is none. */
  newestOf: async (subject: string): Promise<number | undefined> => {
    const newest = deliveries.find({ subject }, { projection: { order: 1 } });
    return (await newest.sort({ order: -1 }).limit(1).next())?.order;
  },

  /**
   * Returns the newest delivery of each branch, tag and request that has a say in a commit's status, newest first.
   * Requests of forks have a say only if the commit has no other deliveries.
   */
  async ofCommit(repositoryId: number, sha: string): Promise<CommitDelivery[]> {
    const found = deliveries.aggregate<CommitDelivery & Pick<BuiltDelivery, "change">>([
      { $match: { repositoryId, sha, silent: null } },
      { $sort: trustedFirst },
      { $limit: maxOfCommit },
      { $project: { ...kept, of: ["$change.type", idOrRef] } },
      { $group: { _id: "$of", newest: { $first: "$$ROOT" } } },
      { $replaceWith: "$newest" },
      { $sort: trustedFirst },
      { $lookup: withBuilds },
    ]);
    const all = await found.toArray();
    const trusted = all.filter(({ change }) => !change.fork);
    return trusted.length > 0 ? trusted : all;
  },

  /** Returns the newest commits of a repository whose status is pending at the provider, up to a limit. */
  pendingCommits: (repositoryId: number): Promise<string[]> =>
    deliveries
      .find(
        { repositoryId, number: { $exists: true }, reported: "pending", dueAt: { $exists: true } },
        { projection: { sha: 1 } },
      )
      .sort({ number: -1 })
      .limit(maxPending)
      .map(({ sha }) => sha!)
      .toArray(),
});
