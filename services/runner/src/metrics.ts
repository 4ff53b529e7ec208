import { computedGauge } from "@ci/kit/process/metrics";
import type { Readiness } from "./work/readiness.js";

const showBuilds = computedGauge({ name: "ci_runner_builds", help: "Builds that this runner is running or removing" });
const showPlaces = computedGauge({
  name: "ci_runner_places",
  help: "Builds that this runner may run at the same time",
});
const showMachines = computedGauge({
  name: "ci_runner_warm_machines",
  help: "Booted virtual machines of this runner that wait for a build",
});

const showFree = computedGauge({
  name: "ci_runner_disk_free_bytes",
  help: "What is free on the disks that builds of this runner fill",
  labelNames: ["disk"],
});
const showShort = computedGauge({
  name: "ci_runner_disk_short",
  help: "1 when less is free on a disk than RUNNER_FREE_SPACE asks for: then no builds are claimed",
  labelNames: ["disk"],
});

const showEnforced = computedGauge({
  name: "ci_runner_egress_enforced",
  help: "1 when a packet filter keeps jobs from private addresses, 0 when JOB_EGRESS is open or the filter cannot be set",
  labelNames: ["driver"],
});

export const showEgress = (driver: string, { enforced }: { enforced(): boolean }): AsyncDisposable =>
  showEnforced(async () => [{ value: enforced() ? 1 : 0, labels: { driver } }]);

export function showDisks({ disks }: Pick<Readiness, "disks">): AsyncDisposable {
  const free = showFree(async () =>
    (await disks()).map(({ name, freeBytes }) => ({ value: freeBytes, labels: { disk: name } })),
  );
  const short = showShort(async () =>
    (await disks()).map(({ name, short }) => ({ value: short ? 1 : 0, labels: { disk: name } })),
  );
  return {
    async [Symbol.asyncDispose]() {
      await free[Symbol.asyncDispose]();
      await short[Symbol.asyncDispose]();
    },
  };
}

export const showWaiting = (waiting: () => number): AsyncDisposable => showMachines(async () => [{ value: waiting() }]);

export const showLoad = (places: number, running: () => number): AsyncDisposable[] => [
  showBuilds(async () => [{ value: running() }]),
  showPlaces(async () => [{ value: places }]),
];
