import { metrics } from "@ci/kit/process/metrics";
import { Histogram } from "prom-client";

export const requestSeconds = new Histogram({
  name: "ci_http_seconds",
  help: "How long requests take",
  labelNames: ["method", "route", "status"],
  registers: [metrics],
});
