import { fixedLimit } from "@ci/kit/process/fixed-limit";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Collection } from "mongodb";
import type { BuildDoc } from "../../domain/build.js";

const maxRead = fixedLimit({
  max: 500,
  about: "queued builds of one user whose trees or groups a claim looks through at once while limits hold others back",
  effect: "a later look or claim continues after them",
});

const maxReadFirst = 40;
/** How many pages a claim reads of trees or groups with many builds each, in which it has found few. */
const maxPages = 20;
const few = 100;

/** Most trees, and most groups, in which a claim looks for a build at once. */
const maxSearched = 50;

/** The values after which the next search of a user's builds continues. Without one, that walk begins anew. */
export interface Stop {
  readonly root: number | undefined;
  readonly group: string | undefined;
  /** A stranger can make any number of groups of forks, so they hold up no walk through members' groups. */
  readonly fork: string | undefined;
}

type Walk = keyof Stop;
type Value<W extends Walk> = NonNullable<Stop[W]>;

export const start: Stop = { root: undefined, group: undefined, fork: undefined };

export const isStart = (stop: Stop): boolean => Object.values(stop).every((value) => value === undefined);

/** The first queued build of a tree or group. Builds without a group, without a need for approval, and older ones come first. */
export interface First<W extends Walk = Walk> {
  readonly _id: Value<W>;
  readonly buildId: number;
  readonly key: string | null;
  readonly awaitsApproval: true | null;
}

/** What a walk has found so far, in order. `isDone` means that no others follow. */
interface Walked<W extends Walk = Walk> {
  readonly firsts: readonly First<W>[];
  readonly isDone: boolean;
}

interface Page extends Walked {
  readonly max: number;
}

const rangeOf = (walk: Walk, { root = -1, group = "fork0", fork = "fork/" }: Stop) =>
  ({
    root: { rootId: { $gt: root } },
    group: { "concurrency.key": { $gt: group } },
    fork: { "concurrency.key": { $gt: fork, $lt: "fork0" } },
  })[walk];

/** Reads only keys of indexes, in their order. */
function pipelineOf(driver: Driver_Type, userId: number, walk: Walk, from: Stop, max: number) {
  const field = walk === "root" ? "rootId" : "concurrency.key";
  return [
    { $match: { status: "queued", "driver.type": driver, userId, ...rangeOf(walk, from) } },
    { $sort: { [field]: 1, "concurrency.key": 1, awaitsApproval: 1, createdAt: 1, _id: 1 } },
    { $limit: max },
    {
      $group: {
        _id: `$${field}`,
        buildId: { $first: "$_id" },
        key: { $first: "$concurrency.key" },
        awaitsApproval: { $first: "$awaitsApproval" },
        read: { $sum: 1 },
      },
    },
    { $sort: { _id: 1 } },
    { $group: { _id: walk, firsts: { $push: "$$ROOT" }, read: { $sum: "$read" } } },
  ];
}

/** Walks through the trees and groups of a user's queued builds, and reads a bounded number of keys. */
export async function walkFrom(builds: Collection<BuildDoc>, driver: Driver_Type, userId: number, from: Stop) {
  const begin: Page = { firsts: [], isDone: false, max: maxReadFirst };
  const walked: Record<Walk, Page> = { root: begin, group: begin, fork: begin };
  for (let page = 0; page < maxPages; page++) {
    const going = (Object.keys(walked) as Walk[]).filter(
      (walk) => !walked[walk].isDone && (page === 0 || walked[walk].firsts.length < few),
    );
    const pipelines = going.map((walk) => {
      const at = { ...from, [walk]: walked[walk].firsts.at(-1)?._id ?? from[walk] };
      return pipelineOf(driver, userId, walk, at, walked[walk].max);
    });
    const [first, ...others] = pipelines;
    if (!first) break;
    const unions = others.map((pipeline) => ({ $unionWith: { coll: builds.collectionName, pipeline } }));
    const found = builds.aggregate<{ _id: Walk; firsts: First[]; read: number }>([...first, ...unions]);
    const pages = new Map((await found.toArray()).map((one) => [one._id, one]));
    for (const walk of going) {
      const { firsts, max } = walked[walk];
      const { firsts: more = [], read = 0 } = pages.get(walk) ?? {};
      const isDense = more.length > max / 2;
      walked[walk] = { firsts: [...firsts, ...more], isDone: read < max, max: isDense ? maxRead : maxReadFirst };
    }
  }
  return walked as unknown as { readonly [W in Walk]: Walked<W> };
}

/** Takes the first trees or groups that may have a build to claim. `stop` is the value after which the walk continues, if it does. */
export function firstOpen<W extends Walk>({ firsts, isDone }: Walked<W>, isOpen: (one: First<W>) => boolean) {
  const open = firsts.filter(isOpen);
  const taken = open.slice(0, maxSearched);
  const isCut = open.length > taken.length;
  const last = isCut ? taken.at(-1) : isDone ? undefined : firsts.at(-1);
  return { taken, stop: last?._id };
}
