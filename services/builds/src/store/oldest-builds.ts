import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Collection, Filter } from "mongodb";
import type { BuildDoc } from "../domain/build.js";

/** Selects builds that do not wait for a member's approval. */
export const claimable = { awaitsApproval: { $exists: false } } as const;

/** Most namespace trees, and most groups, of one user that a claim searches while others are held back. */
const maxSearched = 50;

/** How often a claim looks again after others have taken all builds that it found. */
const maxLooks = 50;

/** What a claim skips: trees that have reached their limit, and groups with a running build. */
export interface HeldBack {
  readonly roots: readonly number[];
  readonly groups: readonly string[];
}

/** Also skips builds that other claims are about to take. */
type LeftOut = HeldBack & { readonly ids: readonly number[] };

export interface Oldest {
  readonly doc: BuildDoc | undefined;
  readonly isOnly: boolean;
}

export const byAge = { createdAt: 1, _id: 1 } as const;
/** What is needed to choose between builds. A whole record may have megabytes. */
const forChoice = { createdAt: 1, rootId: 1 } as const;
type Candidate = Pick<BuildDoc, "_id" | keyof typeof forChoice>;

export const queuedOf = (driver: Driver_Type, userId: number, exceptIds: readonly number[] = []) => ({
  status: "queued" as const,
  "driver.type": driver,
  userId,
  ...claimable,
  ...(exceptIds.length > 0 && { _id: { $nin: [...exceptIds] } }),
});

export function oldestBuilds(builds: Collection<BuildDoc>) {
  const oldestCandidate = (filter: Filter<BuildDoc>): Promise<Candidate | null> =>
    builds.find(filter, { projection: forChoice }).sort(byAge).limit(1).next();

  /** Returns the oldest queued build without a group of each tree except these, and of the builds without a tree. */
  async function oldestOfRoots(driver: Driver_Type, userId: number, { roots: except, ids }: LeftOut) {
    const roots = await builds.distinct("rootId", { status: "queued", "driver.type": driver, userId });
    const others = roots.filter((root) => typeof root === "number" && !except.includes(root)).slice(0, maxSearched);
    return [undefined, ...others].map((root) =>
      oldestCandidate({
        ...queuedOf(driver, userId, ids),
        rootId: root ?? { $exists: false },
        "concurrency.key": { $exists: false },
      }),
    );
  }

  const groupsOf = (driver: Driver_Type, userId: number): Promise<string[]> =>
    builds.distinct("concurrency.key", {
      ...{ status: "queued", "driver.type": driver, userId },
      // An exact range of keys, so that MongoDB skips from one to the next.
      "concurrency.key": { $gt: "" },
    });

  const runningGroups = (keys: readonly string[]): Promise<string[]> =>
    keys.length === 0
      ? Promise.resolve([])
      : builds.distinct("concurrency.key", { status: "running", "concurrency.key": { $in: [...keys] } });

  async function oldestOfGroups(driver: Driver_Type, userId: number, { groups: except, ids }: LeftOut) {
    const others = (await groupsOf(driver, userId)).filter((key) => !except.includes(key)).slice(0, maxSearched);
    return others.map((key) => oldestCandidate({ ...queuedOf(driver, userId, ids), "concurrency.key": key }));
  }

  async function candidates(driver: Driver_Type, userId: number, leftOut: LeftOut): Promise<Candidate[]> {
    const [ofRoots, ofGroups] = await Promise.all([
      oldestOfRoots(driver, userId, leftOut),
      oldestOfGroups(driver, userId, leftOut),
    ]);
    const found = (await Promise.all([...ofRoots, ...ofGroups])).filter((doc) => doc !== null);
    const free = found.filter(({ rootId }) => rootId === undefined || !leftOut.roots.includes(rootId));
    return free.sort((a, b) => a.createdAt!.getTime() - b.createdAt!.getTime() || a._id - b._id);
  }

  return {
    /** Returns a user's oldest queued build that is not held back, and whether it is the only queued one. */
    async oldest(driver: Driver_Type, userId: number, leftOut: LeftOut): Promise<Oldest> {
      const { roots, groups, ids } = leftOut;
      if (roots.length === 0 && groups.length === 0) {
        const [doc, ...more] = await builds
          .find(queuedOf(driver, userId, ids))
          .sort(byAge)
          .limit(2)
          .toArray();
        return { doc, isOnly: more.length === 0 };
      }
      for (let look = 0; look < maxLooks; look++) {
        const free = await candidates(driver, userId, leftOut);
        if (free.length === 0) break;
        for (const { _id } of free) {
          const doc = await builds.findOne({ _id, status: "queued" });
          if (doc) return { doc, isOnly: false };
        }
      }
      return { doc: undefined, isOnly: false };
    },

    runningGroups,

    /** Returns the groups of a user's queued builds that have a running build. */
    busyGroups: async (driver: Driver_Type, userId: number): Promise<string[]> =>
      runningGroups(await groupsOf(driver, userId)),
  };
}
