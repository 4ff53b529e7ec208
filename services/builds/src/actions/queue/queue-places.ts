import type { Build, QueuePlace } from "@ci/proto/builds/v1/builds";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Context } from "../../context.js";
import type { BuildDoc } from "../../domain/build.js";
import { lastPlace, placeOf, type Standing } from "../../domain/line.js";
import { type CopiedBuild, type ShownBuild, toBuild } from "../../domain/shown-build.js";
import { cachedReads } from "./cached-reads.js";
import { type PlaceQuery, type Reasons, reasonFinder } from "./queue-reasons.js";

export interface Places extends Reasons {
  /** Returns each queued build's place and the reason why it waits, in the same order. */
  of(builds: readonly PlaceQuery[]): Promise<QueuePlace[]>;
  /** Call these after each change in this process, so that its places show the change at once. */
  queued(build: BuildDoc): void;
  changed(before: BuildDoc, after: BuildDoc): void;
}

/** How old a place may be. Changes in this process show at once. */
const cacheMs = 1_000;

type Needs = Pick<Context, "config" | "line" | "queue" | "runners" | "now">;

const keyOf = ({ driver, userId }: Pick<PlaceQuery, "driver" | "userId">) => `${driver.type}/${userId}`;

/** Caches each line up to its 500th place, each user's first 500 builds in it, and which drivers are served. */
export function placeFinder(ctx: Needs): Places {
  const lines = cachedReads<Driver_Type, Standing[]>(cacheMs, ctx.now);
  const owns = cachedReads<string, number[]>(cacheMs, ctx.now);
  const { reasons, runnerAsked } = reasonFinder(ctx);

  const lineOf = (driver: Driver_Type) => lines.of(driver, () => ctx.line.standing(driver, lastPlace));
  const ownOf = (query: PlaceQuery) =>
    owns.of(keyOf(query), () => ctx.queue.firstIds(query.driver.type, query.userId, lastPlace));

  /** Returns the user's queued builds. Reads them again if this build is missing from the cache. */
  async function ownWith(query: PlaceQuery): Promise<number[]> {
    const read = ownOf(query);
    const own = await read;
    // A build that waits for approval would come last.
    if (query._id === undefined || query.awaitsApproval || own.length >= lastPlace || own.includes(query._id))
      return own;
    if (owns.known(keyOf(query)) === read) owns.forget(keyOf(query));
    return ownOf(query);
  }

  async function position(query: PlaceQuery): Promise<number> {
    const { driver, userId, _id } = query;
    const [line, own] = await Promise.all([lineOf(driver.type), ownWith(query)]);
    const at = _id === undefined ? -1 : own.indexOf(_id);
    // A build that is not in the list is not stored yet, or follows all builds that were read.
    return placeOf(line, userId, at < 0 ? own.length : at);
  }

  return {
    reasons,
    async of(builds) {
      if (builds.length === 0) return [];
      const [positions, reason] = await Promise.all([Promise.all(builds.map(position)), reasons(builds)]);
      return builds.map((_, index) => ({ position: positions[index]!, reason: reason[index]! }));
    },
    queued(build) {
      const add = (own: number[]) => {
        if (!build.awaitsApproval && own.length < lastPlace && !own.includes(build._id)) own.push(build._id);
      };
      owns.known(keyOf(build))?.then(add, () => undefined);
    },
    changed(before, after) {
      if (before.awaitsApproval && !after.awaitsApproval) owns.forget(keyOf(after));
      if (before.status === after.status) return;
      // A requeued build is older than others.
      if (after.status === "queued") owns.forget(keyOf(after));
      const remove = (own: number[]) => {
        const at = own.indexOf(after._id);
        if (at >= 0) own.splice(at, 1);
      };
      if (before.status === "queued") owns.known(keyOf(after))?.then(remove, () => undefined);
    },
    runnerAsked,
  };
}

const placeQuery = ({ _id, userId, rootId, driver, awaitsApproval, concurrency }: CopiedBuild): PlaceQuery => ({
  _id,
  userId,
  rootId,
  driver,
  awaitsApproval,
  concurrency,
});

/** Returns the places of the queued builds among these, by id. */
export async function queuePlacesById(
  ctx: Pick<Context, "places">,
  docs: readonly CopiedBuild[],
): Promise<Map<number, QueuePlace>> {
  const queued = docs.filter((doc) => doc.status === "queued");
  const places = await ctx.places.of(queued.map(placeQuery));
  return new Map(queued.map((doc, index) => [doc._id, places[index]!]));
}

export async function withQueuePlace(ctx: Pick<Context, "places">, doc: ShownBuild): Promise<Build> {
  return { ...toBuild(doc), queue: (await queuePlacesById(ctx, [doc])).get(doc._id) };
}
