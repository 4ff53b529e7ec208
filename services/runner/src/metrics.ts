import { computedGauge } from "@ci/kit/process/metrics";

const showBuilds = computedGauge({ name: "ci_runner_builds", help: "Builds that this runner is running or removing" });
const showPlaces = computedGauge({
  name: "ci_runner_places",
  help: "Builds that this runner may run at the same time",
});
const showMachines = computedGauge({
  name: "ci_runner_warm_machines",
  help: "Booted virtual machines of this runner that wait for a build",
});

/** Shows in the gauge how many machines wait. */
export const showWaiting = (waiting: () => number): AsyncDisposable => showMachines(async () => [{ value: waiting() }]);

/** Shows in the gauges how busy a runner is. */
export const show = (places: number, running: () => number): AsyncDisposable[] => [
  showBuilds(async () => [{ value: running() }]),
  showPlaces(async () => [{ value: places }]),
];
