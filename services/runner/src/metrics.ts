import { askingGauge } from "@ci/kit/metrics";

const showBuilds = askingGauge({ name: "ci_runner_builds", help: "Builds that this runner is running or removing" });
const showPlaces = askingGauge({ name: "ci_runner_places", help: "Builds that this runner may run at the same time" });

/** Shows in the gauges how busy a runner is. */
export const show = (places: number, running: () => number): AsyncDisposable[] => [
  showBuilds(async () => [{ value: running() }]),
  showPlaces(async () => [{ value: places }]),
];
