import { metrics } from "@ci/kit/process/metrics";
import { Counter, Gauge } from "prom-client";
import type { FailureClass } from "./domain/failure-class.js";
import type { Backlog } from "./store/deliveries.js";

const counted = new Counter({
  name: "ci_deliveries_total",
  help: "Attempts by what became of their delivery",
  labelNames: ["outcome"],
  registers: [metrics],
});

const failures = new Counter({
  name: "ci_delivery_failures_total",
  help: "Attempts that failed, by kind of failure",
  labelNames: ["class"],
  registers: [metrics],
});

/** Counts one attempt: delivered, failed, cancelled, or retry. */
export const countOutcome = (outcome: string): void => counted.inc({ outcome });

/** Counts one attempt that failed. */
export const countFailure = (kind: FailureClass): void => failures.inc({ class: kind });

/** What the gauges ask when somebody looks at them. */
export interface Seen {
  backlog(): Promise<Backlog>;
  /** Deactivated webhooks by reason. */
  disabled(): Promise<Readonly<Record<string, number>>>;
}

const sources = new Set<Seen>();

/** Shows in the gauges what a service has. Where the database does not answer, they keep what they showed. */
export function show(source: Seen): AsyncDisposable {
  sources.add(source);
  return {
    async [Symbol.asyncDispose]() {
      sources.delete(source);
    },
  };
}

const fromAll = <T>(ask: (source: Seen) => Promise<T>): Promise<T[]> =>
  Promise.all([...sources].map(ask)).catch(() => []);

const waiting = new Gauge({
  name: "ci_deliveries_waiting",
  help: "Deliveries whose next attempt is still to come, up to 100000",
  registers: [metrics],
});

new Gauge({
  name: "ci_delivery_lag_seconds",
  help: "How long the oldest delivery that could be attempted has been waiting for that",
  registers: [metrics],
  async collect() {
    for (const { waiting: count, lagMs } of await fromAll((source) => source.backlog())) {
      waiting.set(count);
      this.set(lagMs / 1_000);
    }
  },
});

new Gauge({
  name: "ci_webhooks_disabled",
  help: "Webhooks that were deactivated because of their receivers, by reason",
  labelNames: ["reason"],
  registers: [metrics],
  async collect() {
    for (const byReason of await fromAll((source) => source.disabled()))
      for (const [reason, count] of Object.entries(byReason)) this.set({ reason }, count);
  },
});
