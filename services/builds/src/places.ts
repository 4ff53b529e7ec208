import type { Build, QueuePlace } from "@ci/proto/builds/v1/builds";
import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { Context } from "./context.js";
import type { BuildDoc } from "./domain/build.js";
import { toBuild } from "./domain/change.js";
import { lastPlace, placeOf, type Reason, type Standing } from "./domain/line.js";

/** What is asked about a queued build, also about one that is only about to be stored. */
export type Queued = Pick<BuildDoc, "userId" | "rootId" | "driver"> & { readonly _id?: number };

export interface Places {
  /** Where queued builds stand and why they do not run, in the same order. */
  of(builds: readonly Queued[]): Promise<QueuePlace[]>;
  /** Why queued builds do not run, in the same order; asks for much less. */
  reasons(builds: readonly Queued[]): Promise<Reason[]>;
}

/** How old what is told about the others in a line may be. */
const rememberMs = 1_000;
/** A runner renews leases or asks for builds about three times in a lease; silent for twice as long it is gone. */
const silentLeases = 2;

type Needs = Pick<Context, "config" | "line" | "queue" | "runners" | "now">;

/**
 * Tells where builds stand. The cost is bounded whatever waits: a line is read up to its 500th place at most once a
 * second, and of the build's own user at most 500 ids from an index.
 */
export function placesOver(ctx: Needs): Places {
  const { runningPerUser, runningPerNamespace, leaseMs } = ctx.config;
  const lines = new Map<Driver_Type, { at: number; line: Promise<Standing[]> }>();

  function lineOf(driver: Driver_Type): Promise<Standing[]> {
    const now = ctx.now().getTime();
    const known = lines.get(driver);
    if (known && Math.abs(now - known.at) < rememberMs) return known.line;
    const line = ctx.line.standing(driver, lastPlace);
    lines.set(driver, { at: now, line });
    // What has failed is not worth remembering.
    line.catch(() => lines.delete(driver));
    return line;
  }

  async function reasons(builds: readonly Queued[]): Promise<Reason[]> {
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

  async function positions(builds: readonly Queued[]): Promise<number[]> {
    const owns = new Map<string, Promise<number[]>>();
    for (const { driver, userId } of builds) {
      const key = `${driver.type}/${userId}`;
      if (!owns.has(key)) owns.set(key, ctx.queue.firstIds(driver.type, userId, lastPlace));
    }
    return Promise.all(
      builds.map(async ({ driver, userId, _id }) => {
        const [line, own] = await Promise.all([lineOf(driver.type), owns.get(`${driver.type}/${userId}`)!]);
        const at = _id === undefined ? -1 : own.indexOf(_id);
        // One that is not stored yet, or that comes after all that were read.
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

/** Where these builds stand, by id; of builds that are not queued nothing is looked up. */
export async function queuePlaces(
  ctx: Pick<Context, "places">,
  docs: readonly BuildDoc[],
): Promise<Map<number, QueuePlace>> {
  const queued = docs.filter((doc) => doc.status === "queued");
  const places = await ctx.places.of(queued);
  return new Map(queued.map((doc, index) => [doc._id, places[index]!]));
}

/** The public record of a build with its place in the queue, without output. */
export async function shown(ctx: Pick<Context, "places">, doc: BuildDoc): Promise<Build> {
  return { ...toBuild(doc), queue: (await queuePlaces(ctx, [doc])).get(doc._id) };
}
