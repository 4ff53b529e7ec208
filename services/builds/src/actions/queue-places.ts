import type { Build, QueuePlace } from "@ci/proto/builds/v1/builds";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { QueueReason } from "@ci/rest/queue-reasons";
import type { Context } from "../context.js";
import type { BuildDoc } from "../domain/build.js";
import { toBuild } from "../domain/change.js";
import { lastPlace, placeOf, type Standing } from "../domain/line.js";

/** What a place is computed from. A build that is not stored yet has no id. */
export type PlaceQuery = Pick<BuildDoc, "userId" | "rootId" | "driver"> & { readonly _id?: number };

export interface Places {
  /** Returns the place of each queued build, and why it does not run yet, in the same order. */
  of(builds: readonly PlaceQuery[]): Promise<QueuePlace[]>;
  /** Returns only why each queued build does not run yet. Far cheaper than `of`. */
  reasons(builds: readonly PlaceQuery[]): Promise<QueueReason[]>;
}

const cacheMs = 1_000;
/** A runner renews leases or asks for builds about three times per lease; after two silent leases it is gone. */
const silentLeases = 2;

type Needs = Pick<Context, "config" | "line" | "queue" | "runners" | "now">;

/** Reads each line up to its 500th place at most once a second, plus at most 500 ids of the build's own user. */
export function placeFinder(ctx: Needs): Places {
  const { runningPerUser, runningPerNamespace, leaseMs } = ctx.config;
  const lines = new Map<Driver_Type, { at: number; line: Promise<Standing[]> }>();

  function lineOf(driver: Driver_Type): Promise<Standing[]> {
    const now = ctx.now().getTime();
    const cached = lines.get(driver);
    if (cached && Math.abs(now - cached.at) < cacheMs) return cached.line;
    const line = ctx.line.standing(driver, lastPlace);
    lines.set(driver, { at: now, line });
    line.catch(() => lines.delete(driver));
    return line;
  }

  async function reasons(builds: readonly PlaceQuery[]): Promise<QueueReason[]> {
    const drivers = unique(builds.map(({ driver }) => driver.type));
    const [served, ofUser, inRoot] = await Promise.all([
      Promise.all(drivers.map((driver) => ctx.runners.serves(driver, silentLeases * leaseMs))),
      ctx.queue.runningOfUsers(runningPerUser === 0 ? [] : unique(builds.map(({ userId }) => userId))),
      ctx.queue.runningInRoots(runningPerNamespace === 0 ? [] : unique(builds.flatMap(({ rootId }) => rootId ?? []))),
    ]);
    return builds.map(({ driver, userId, rootId }) => {
      if (!served[drivers.indexOf(driver.type)]) return "no runner for driver";
      if (runningPerUser > 0 && (ofUser.get(userId) ?? 0) >= runningPerUser) return "limit of user";
      if (runningPerNamespace > 0 && rootId !== undefined && (inRoot.get(rootId) ?? 0) >= runningPerNamespace)
        return "limit of namespace";
      return "waiting for a runner";
    });
  }

  async function positions(builds: readonly PlaceQuery[]): Promise<number[]> {
    const owns = new Map<string, Promise<number[]>>();
    for (const { driver, userId } of builds) {
      const key = `${driver.type}/${userId}`;
      if (!owns.has(key)) owns.set(key, ctx.queue.firstIds(driver.type, userId, lastPlace));
    }
    return Promise.all(
      builds.map(async ({ driver, userId, _id }) => {
        const [line, own] = await Promise.all([lineOf(driver.type), owns.get(`${driver.type}/${userId}`)!]);
        const at = _id === undefined ? -1 : own.indexOf(_id);
        // A build that is not in the list is not stored yet, or follows all builds that were read.
        return placeOf(line, userId, at < 0 ? own.length : at);
      }),
    );
  }

  return {
    reasons,
    async of(builds) {
      if (builds.length === 0) return [];
      const [position, reason] = await Promise.all([positions(builds), reasons(builds)]);
      return builds.map((_, index) => ({ position: position[index]!, reason: reason[index]! }));
    },
  };
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Returns the places of those builds that are queued, by id. */
export async function queuePlacesById(
  ctx: Pick<Context, "places">,
  docs: readonly BuildDoc[],
): Promise<Map<number, QueuePlace>> {
  const queued = docs.filter((doc) => doc.status === "queued");
  const places = await ctx.places.of(queued);
  return new Map(queued.map((doc, index) => [doc._id, places[index]!]));
}

export async function withQueuePlace(ctx: Pick<Context, "places">, doc: BuildDoc): Promise<Build> {
  return { ...toBuild(doc), queue: (await queuePlacesById(ctx, [doc])).get(doc._id) };
}
