import type { Driver_Type } from "@ci/proto/builds/v1/queue";
import type { QueueReason } from "@ci/rest/queue-reasons";
import type { Context } from "../../context.js";
import type { BuildDoc } from "../../domain/build.js";
import { cachedReads } from "./cached-reads.js";

/** The fields from which a place is computed. A build that is not stored yet has no id. */
export interface PlaceQuery extends Pick<BuildDoc, "userId"> {
  readonly _id?: number;
  readonly rootId: BuildDoc["rootId"] | undefined;
  readonly driver: Pick<BuildDoc["driver"], "type">;
  readonly awaitsApproval: BuildDoc["awaitsApproval"] | undefined;
  readonly concurrency: Pick<NonNullable<BuildDoc["concurrency"]>, "key"> | undefined;
}

export interface Reasons {
  /** Returns only the reason why each queued build waits. Far cheaper than its place. */
  reasons(builds: readonly PlaceQuery[]): Promise<QueueReason[]>;
  /** Call this for each claim, so that the driver counts as served at once. */
  runnerAsked(drivers: readonly Driver_Type[]): void;
}

const cacheMs = 1_000;
/** A runner renews leases or asks for builds about three times per lease; after two silent leases it is gone. */
const silentLeases = 2;

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

export function reasonFinder(ctx: Pick<Context, "config" | "queue" | "runners" | "now">): Reasons {
  const { runningPerUser, runningPerNamespace, leaseMs } = ctx.config;
  const servedDrivers = cachedReads<Driver_Type, boolean>(cacheMs, ctx.now);
  const serves = (driver: Driver_Type) =>
    servedDrivers.of(driver, () => ctx.runners.serves(driver, silentLeases * leaseMs));

  async function reasons(builds: readonly PlaceQuery[]): Promise<QueueReason[]> {
    const drivers = unique(builds.map(({ driver }) => driver.type));
    const [served, ofUser, inRoot, busyGroups] = await Promise.all([
      Promise.all(drivers.map(serves)),
      ctx.queue.runningOfUsers(runningPerUser === 0 ? [] : unique(builds.map(({ userId }) => userId))),
      ctx.queue.runningInRoots(runningPerNamespace === 0 ? [] : unique(builds.flatMap(({ rootId }) => rootId ?? []))),
      ctx.queue.runningGroups(unique(builds.flatMap(({ concurrency }) => concurrency?.key ?? []))),
    ]);
    return builds.map(({ driver, userId, rootId, awaitsApproval, concurrency }) => {
      if (awaitsApproval) return "waits for approval";
      if (!served[drivers.indexOf(driver.type)]) return "no runner for driver";
      if (runningPerUser > 0 && (ofUser.get(userId) ?? 0) >= runningPerUser) return "limit of user";
      if (runningPerNamespace > 0 && rootId !== undefined && (inRoot.get(rootId) ?? 0) >= runningPerNamespace)
        return "limit of namespace";
      if (concurrency && busyGroups.includes(concurrency.key)) return "limit of group";
      return "waiting for a runner";
    });
  }

  return {
    reasons,
    runnerAsked(drivers) {
      const forgetUnlessServed = (driver: Driver_Type) => (isServed: boolean) => {
        if (!isServed) servedDrivers.forget(driver);
      };
      for (const driver of drivers) servedDrivers.known(driver)?.then(forgetUnlessServed(driver), () => undefined);
    },
  };
}
