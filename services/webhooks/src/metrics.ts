import { metrics } from "@ci/kit/process/metrics";
import { Counter, Gauge } from "prom-client";
import type { Context } from "./context.js";
import type { FailureClass } from "./domain/failure-class.js";
import type { Backlog } from "./store/delivery-doc.js";

const attempts = new Counter({
  name: "ci_deliveries_total",
  help: "Attempts by the resulting status of their delivery",
  labelNames: ["outcome"],
  registers: [metrics],
});

const failures = new Counter({
  name: "ci_delivery_failures_total",
  help: "Failed attempts by kind of failure",
  labelNames: ["class"],
  registers: [metrics],
});

export const countAttempt = (outcome: string): void => attempts.inc({ outcome });

export const countFailure = (kind: FailureClass): void => failures.inc({ class: kind });

export interface GaugeSource {
  backlog(): Promise<Backlog>;
  deferred(): Promise<number>;
  disabled(): Promise<Readonly<Record<string, number>>>;
}

/** A limited webhook makes an attempt each second, or as soon as the one before it ends. */
const marginMs = 60_000;

export const gaugeSource = ({ deliveries, deferredEvents, webhooks, config, now }: Context): GaugeSource => ({
  async backlog() {
    const at = now();
    return deliveries.backlog(at, await webhooks.pacedSince(new Date(at.getTime() - config.timeoutMs - marginMs)));
  },
  deferred: deferredEvents.count,
  disabled: webhooks.countDisabled,
});

const sources = new Set<GaugeSource>();

/** Adds a source for the gauges. They keep their values while the database does not answer. */
export function registerGauges(source: GaugeSource): AsyncDisposable {
  sources.add(source);
  return {
    async [Symbol.asyncDispose]() {
      sources.delete(source);
    },
  };
}

const readAll = <T>(read: (source: GaugeSource) => Promise<T>): Promise<T[]> =>
  Promise.all([...sources].map(read)).catch(() => []);

const waiting = new Gauge({
  name: "ci_deliveries_waiting",
  help: "Deliveries that wait for an attempt, counted up to 100000",
  registers: [metrics],
});

new Gauge({
  name: "ci_delivery_lag_seconds",
  help: "How long the oldest due delivery has waited for its attempt",
  registers: [metrics],
  async collect() {
    for (const { waiting: count, lagMs } of await readAll((source) => source.backlog())) {
      waiting.set(count);
      this.set(lagMs / 1_000);
    }
  },
});

new Gauge({
  name: "ci_events_deferred",
  help: "Events whose deliveries are not recorded yet because their user has too many, counted up to 100000",
  registers: [metrics],
  async collect() {
    for (const count of await readAll((source) => source.deferred())) this.set(count);
  },
});

new Gauge({
  name: "ci_webhooks_disabled",
  help: "Webhooks that were deactivated because of their receivers, by reason",
  labelNames: ["reason"],
  registers: [metrics],
  async collect() {
    for (const byReason of await readAll((source) => source.disabled()))
      for (const [reason, count] of Object.entries(byReason)) this.set({ reason }, count);
  },
});
