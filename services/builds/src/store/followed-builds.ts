import { batched } from "@ci/kit/turns/batch";
import type { Collection } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

/** Returns what followers of a build's output need. A whole record may have megabytes, and a user may follow many. */
export const followedOf = ({ jobs, steps, driver, concurrency, ...build }: BuildDoc) => {
  const { _id, userId, namespaceId, rootId, rev, status, awaitsApproval, createdAt, startedAt } = build;
  const { outputBytes, tail, tailFrom, parts } = build;
  return {
    _id,
    userId,
    namespaceId,
    rootId,
    rev,
    status,
    awaitsApproval,
    createdAt,
    startedAt,
    outputBytes,
    tail,
    tailFrom,
    parts,
    driver: { type: driver.type },
    concurrency: concurrency && { key: concurrency.key },
    jobs: jobs.map(({ name, status, startedAt, outputBytes }) => ({ name, status, startedAt, outputBytes })),
    steps: steps.map(({ service }) => ({ service })),
  };
};

type Whole = Readonly<ReturnType<typeof followedOf>>;

/** A build as its followers' reader holds it, which keeps the tail elsewhere. */
export type FollowedBuild = Omit<Whole, "tail"> & Partial<Pick<Whole, "tail">>;

type Projection = { readonly [Field in keyof Omit<FollowedBuild, "_id">]-?: 1 | object };

const projection: Projection = {
  userId: 1,
  namespaceId: 1,
  rootId: 1,
  rev: 1,
  status: 1,
  awaitsApproval: 1,
  createdAt: 1,
  startedAt: 1,
  outputBytes: 1,
  tail: 1,
  tailFrom: 1,
  parts: 1,
  driver: { type: 1 },
  concurrency: { key: 1 },
  jobs: { name: 1, status: 1, startedAt: 1, outputBytes: 1 },
  steps: { service: 1 },
};

export function followedBuilds(builds: Collection<BuildDoc>) {
  const revisionOf = batched<number, number | undefined>({ maxItems: 500, waitMs: 20 }, async (ids) => {
    const found = await builds.find({ _id: { $in: [...ids] } }, { projection: { rev: 1 } }).toArray();
    const revisions = new Map(found.map(({ _id, rev }) => [_id, rev]));
    return ids.map((id) => revisions.get(id));
  });

  return {
    /** Returns what followers need of a build. Reads only its revision if that is still the one of `held`. */
    followed: async (id: number, held?: FollowedBuild): Promise<FollowedBuild | null> =>
      held && (await revisionOf(id)) === held.rev ? held : builds.findOne<FollowedBuild>({ _id: id }, { projection }),
  };
}
