import { computedGauge, metrics, type Seen } from "@ci/kit/process/metrics";
import type { Build_Status } from "@ci/proto/builds/v1/builds";
import { Driver_Type } from "@ci/proto/builds/v1/queue";
import { Counter, Histogram } from "prom-client";
import type { Context } from "./context.js";
import { type BuildDoc, isFinal } from "./domain/build.js";

const registers = [metrics];
const drivers = Object.values(Driver_Type);

const finished = new Counter({
  name: "ci_builds_finished_total",
  help: "Builds that ended, by status",
  labelNames: ["status", "driver"],
  registers,
});

const requeued = new Counter({
  name: "ci_builds_requeued_total",
  help: "Builds that went back to the queue because their runner was lost",
  labelNames: ["driver"],
  registers,
});
for (const driver of drivers) requeued.inc({ driver }, 0);

const waited = new Histogram({
  name: "ci_build_wait_seconds",
  help: "How long builds waited for a runner",
  labelNames: ["driver"],
  buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600],
  registers,
});

export function countChange(before: BuildDoc, after: BuildDoc): void {
  const driver = after.driver.type;
  if (before.status === after.status) return;
  if (isFinal(after.status)) finished.inc({ status: after.status, driver });
  if (after.returns > before.returns) requeued.inc({ driver });
  if (after.status === "running" && before.epoch === 0)
    waited.observe({ driver }, Math.max(0, after.startedAt!.getTime() - before.createdAt!.getTime()) / 1_000);
}

const buildGauge = computedGauge({
  name: "ci_builds",
  help: "Builds that are queued and running, each up to 100000",
  labelNames: ["status", "driver"],
});

const oldestGauge = computedGauge({
  name: "ci_oldest_queued_build_seconds",
  help: "Age of the oldest queued build, 0 when none is",
  labelNames: ["driver"],
});

const runnerGauge = computedGauge({
  name: "ci_runners",
  help: "Runners that serve a driver and were active within two leases",
  labelNames: ["driver"],
});

type Sources = Pick<Context, "queue" | "runners" | "config" | "now">;

const perDriver = (compute: (driver: Driver_Type) => Promise<number>): Promise<Seen[]> =>
  Promise.all(drivers.map(async (driver) => ({ labels: { driver }, value: await compute(driver) })));

const unfinished: readonly Build_Status[] = ["queued", "running"];

export function startGauges({ queue, runners, config, now }: Sources): AsyncDisposable[] {
  const byStatus = async (status: Build_Status) =>
    (await perDriver((driver) => queue.count(status, driver))).map(({ labels, value }) => ({
      labels: { ...labels, status },
      value,
    }));
  return [
    buildGauge(async () => (await Promise.all(unfinished.map(byStatus))).flat()),
    oldestGauge(() =>
      perDriver(async (driver) => {
        const since = await queue.oldestSince(driver);
        return since ? Math.max(0, now().getTime() - since.getTime()) / 1_000 : 0;
      }),
    ),
    runnerGauge(() => perDriver((driver) => runners.count(driver, 2 * config.leaseMs))),
  ];
}
