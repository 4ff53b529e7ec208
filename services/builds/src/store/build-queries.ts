import { listPage } from "@ci/kit/mongo/listing";
import type { Page } from "@ci/kit/rpc/page";
import type { Collection } from "mongodb";
import type { BuildDoc } from "../domain/build.js";
import { listed } from "../domain/listed.js";
import type { BriefBuild, CopiedBuild, ShownBuild } from "../domain/shown-build.js";
import { newestInNamespace } from "./indexes.js";
import { filtersOf, newestFirst, type Selection, type Usage, usageFilter } from "./selection.js";
import { copied, listFields, shownBuilds } from "./shown-builds.js";

export const buildQueries = (builds: Collection<BuildDoc>) => ({
  /** Returns a page of builds as a list shows them, newest first. */
  list: (selection: Selection, number: number | undefined): Promise<Page<ShownBuild>> =>
    listPage(builds, filtersOf(selection), newestFirst, number, { fields: listFields.whole, shorten: listed }),

  /** Returns the same page without the output. */
  listBriefly: (selection: Selection, number: number | undefined): Promise<Page<BriefBuild>> =>
    listPage(builds, filtersOf(selection), newestFirst, number, { fields: listFields.brief, shorten: listed }),

  shown: shownBuilds(builds),

  namespacesOf: async (usage: Usage): Promise<number[]> =>
    (await builds.distinct("namespaceId", usageFilter(usage))).filter((id) => id !== undefined && id !== null),

  /** Returns the newest build of each of these namespaces, in no order. MongoDB skips the older ones in the index. */
  latest: (namespaceIds: readonly number[]): Promise<CopiedBuild[]> =>
    builds
      .aggregate<CopiedBuild>(
        [
          { $match: { namespaceId: { $in: [...namespaceIds] } } },
          { $sort: { namespaceId: 1, ...newestFirst } },
          { $group: { _id: "$namespaceId", build: { $first: "$$ROOT" } } },
          { $replaceRoot: { newRoot: "$build" } },
          { $project: copied },
        ],
        { hint: newestInNamespace },
      )
      .toArray(),

  /** Returns the ids of up to 20 unfinished builds of a user, without running ones that are being killed. */
  toKill: (userId: number) =>
    builds
      .find(
        {
          $or: [
            { userId, status: "queued" },
            { userId, status: "running", killRequestedAt: { $exists: false } },
          ],
        },
        { projection: { _id: 1 } },
      )
      .limit(20)
      .map((doc) => doc._id)
      .toArray(),

  ofGroup: (id: number) =>
    builds
      .find({ "group.id": id }, { projection: { userId: 1, number: 1, status: 1, group: 1 } })
      .map(({ _id, ...doc }) => ({ id: _id, ...doc }))
      .toArray()
      .then((found) => found.sort((a, b) => a.group!.index - b.group!.index)),

  usesBlob: async (blobId: string) =>
    (await builds.findOne({ "artifacts.blobId": blobId }, { projection: { _id: 1 } })) !== null,

  storing: () => builds.distinct("userId", { artifactBytes: { $gt: 0 } }),

  /** Returns a user's finished builds that store artifacts and are not pinned, newest first. */
  storedBy: (userId: number) =>
    builds
      .find(
        { userId, artifactBytes: { $gt: 0 }, pinned: false, status: { $nin: ["queued", "running"] } },
        { projection: { artifacts: 1 } },
      )
      .sort({ createdAt: -1, _id: -1 }),
});
