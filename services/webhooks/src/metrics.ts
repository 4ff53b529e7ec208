import { metrics } from "@ci/kit/metrics";
import { Counter } from "prom-client";

const counted = new Counter({
  name: "ci_deliveries_total",
  help: "Attempts by what became of their delivery",
  labelNames: ["outcome"],
  registers: [metrics],
});

/** Counts one attempt: delivered, failed, cancelled, or retry. */
export const countOutcome = (outcome: string): void => counted.inc({ outcome });
