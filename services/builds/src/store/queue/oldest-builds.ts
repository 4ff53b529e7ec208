import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Collection, Filter } from "mongodb";
import type { BuildDoc } from "../../domain/build.js";
import { type First, firstOpen, isStart, type Stop, start, walkFrom } from "./walks.js";

/** Selects builds that do not wait for a member's approval. */
export const claimable = { awaitsApproval: { $exists: false } } as const;

/** How often a claim looks again after others have taken all builds that it found. */
const maxLooks = 50;

/** How often a claim continues with a user's further trees and groups if the first have no build to claim. */
const maxFruitless = 4;

/** What a claim skips: trees that have reached their limit, and groups with a running build if it has met one. */
export interface HeldBack {
  readonly roots: readonly number[];
  readonly busyGroups: boolean;
}

/** Also skips builds that other claims are about to take. */
type LeftOut = HeldBack & { readonly ids: readonly number[] };

export interface Oldest {
  readonly doc: BuildDoc | undefined;
  readonly isOnly: boolean;
  /** Where the next search for a build that is not held back begins. */
  readonly stop: Stop;
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

  /** Returns the oldest queued build without a group of each of these trees, and of the builds without a tree. */
  const oldestOfRoots = (driver: Driver_Type, userId: number, roots: readonly number[], ids: readonly number[]) =>
    [undefined, ...roots].map((root) =>
      oldestCandidate({
        ...queuedOf(driver, userId, ids),
        rootId: root ?? { $exists: false },
        "concurrency.key": { $exists: false },
      }),
    );

  const withIds = (ids: readonly number[]): Promise<Candidate[]> =>
    ids.length === 0
      ? Promise.resolve([])
      : builds.find({ _id: { $in: [...ids] }, status: "queued" }, { projection: forChoice }).toArray();

  const runningGroups = (keys: readonly string[]): Promise<string[]> =>
    keys.length === 0
      ? Promise.resolve([])
      : builds.distinct("concurrency.key", { status: "running", "concurrency.key": { $in: [...keys] } });

  /** Returns builds to choose from, oldest first, of the next trees and groups, and where to continue. */
  async function candidates(driver: Driver_Type, userId: number, { roots: full, ids }: LeftOut, from: Stop) {
    const walked = await walkFrom(builds, driver, userId, from);
    const roots = firstOpen(walked.root, (one) => !one.awaitsApproval && one.key === null && !full.includes(one._id));
    const claimableFirsts = [...walked.group.firsts, ...walked.fork.firsts].filter((one) => !one.awaitsApproval);
    const [running, ...ofRoots] = await Promise.all([
      runningGroups(claimableFirsts.map(({ _id }) => _id)),
      ...oldestOfRoots(
        driver,
        userId,
        roots.taken.map(({ _id }) => _id),
        ids,
      ),
    ]);
    const busy = new Set(running);
    const isFree = (one: First<"group" | "fork">) =>
      !one.awaitsApproval && !busy.has(one._id) && !ids.includes(one.buildId);
    const [groups, forks] = [firstOpen(walked.group, isFree), firstOpen(walked.fork, isFree)];
    const ofGroups = await withIds([...groups.taken, ...forks.taken].map(({ buildId }) => buildId));
    const free = [...ofRoots, ...ofGroups]
      .filter((doc) => doc !== null)
      .filter(({ rootId }) => rootId === undefined || !full.includes(rootId))
      .sort((a, b) => a.createdAt!.getTime() - b.createdAt!.getTime() || a._id - b._id);
    return { free, stop: { root: roots.stop, group: groups.stop, fork: forks.stop } };
  }

  return {
    /** Returns a user's oldest queued build that is not held back, and whether it is the only queued one. */
    async oldest(driver: Driver_Type, userId: number, leftOut: LeftOut, from = start): Promise<Oldest> {
      if (leftOut.roots.length === 0 && !leftOut.busyGroups) {
        const [doc, ...more] = await builds
          .find(queuedOf(driver, userId, leftOut.ids))
          .sort(byAge)
          .limit(2)
          .toArray();
        return { doc, isOnly: more.length === 0, stop: from };
      }
      let at = from;
      for (let look = 0, fruitless = 0; look < maxLooks && fruitless < maxFruitless; look++) {
        const { free, stop } = await candidates(driver, userId, leftOut, at);
        for (const { _id } of free) {
          const doc = await builds.findOne({ _id, status: "queued" });
          if (doc) return { doc, isOnly: false, stop };
        }
        if (free.length > 0) continue;
        const wasAll = isStart(at) && isStart(stop);
        at = stop;
        if (wasAll) break;
        fruitless++;
      }
      return { doc: undefined, isOnly: false, stop: at };
    },

    runningGroups,
  };
}
