// Writes the Grafana dashboard in the chart's folder `observability`: `npm run dashboard`.
// With `--check`, it only reports whether the file is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Routes whose requests last as long as a build, a client or a file. */
const long = ".*(output|events|artifacts).*|/(images|objects)(/:id)?";
const volumes = 'persistentvolumeclaim=~"data-.*-(mongodb|nats)-[0-9]+"';

/** @typedef {{ title: string, unit?: string, about: string, queries: Record<string, string> }} Panel */

/** The panels, three in a row. Queries have their legend as their name. @type {Panel[]} */
const panels = [
  {
    title: "Requests",
    unit: "reqps",
    about: "Responses of the API per second, by status",
    queries: { "{{status}}": "sum by (status) (rate(ci_http_seconds_count[5m]))" },
  },
  {
    title: "Time of requests",
    unit: "s",
    about: "95 of 100 requests take no longer, without those for streams, artifacts, images and objects",
    queries: {
      "{{route}}": `histogram_quantile(0.95, sum by (le, route) (rate(ci_http_seconds_bucket{route!~"${long}"}[5m])))`,
    },
  },
  {
    title: "Processes that are not ready",
    about:
      "They cannot reach MongoDB, or none of a runner's drivers works. Without NATS, processes are ready, and events wait",
    queries: {
      "not ready {{job}} {{instance}}": "1 - ci_ready",
      "no NATS {{job}} {{instance}}": "1 - ci_nats_connected",
    },
  },
  {
    title: "Builds",
    about: "Queued and running",
    queries: { "{{status}} {{driver}}": "max by (status, driver) (ci_builds)" },
  },
  {
    title: "Finished builds",
    about: "Per minute, by status",
    queries: { "{{status}}": "sum by (status) (rate(ci_builds_finished_total[5m])) * 60" },
  },
  {
    title: "Oldest queued build",
    unit: "s",
    about: "How long it has been waiting",
    queries: { "{{driver}}": "max by (driver) (ci_oldest_queued_build_seconds)" },
  },
  {
    title: "Wait for a runner",
    unit: "s",
    about: "95 of 100 builds wait no longer",
    queries: {
      "{{driver}}": "histogram_quantile(0.95, sum by (le, driver) (rate(ci_build_wait_seconds_bucket[15m])))",
    },
  },
  {
    title: "Slots of runners",
    about: "Builds that run, and builds that may run at the same time",
    queries: { busy: "sum(ci_runner_builds)", all: "sum(ci_runner_places)" },
  },
  {
    title: "Runners and leases",
    about: "Runners that reported within two leases, and builds that lost their runner, per hour",
    queries: {
      "runners {{driver}}": "max by (driver) (ci_runners)",
      "lost builds {{driver}}": "sum by (driver) (increase(ci_builds_requeued_total[1h]))",
    },
  },
  {
    title: "Webhook attempts",
    about: "Per second, by outcome",
    queries: { "{{outcome}}": "sum by (outcome) (rate(ci_deliveries_total[5m]))" },
  },
  {
    title: "Failed attempts",
    about: "Per second, by class of failure",
    queries: { "{{class}}": "sum by (class) (rate(ci_delivery_failures_total[5m]))" },
  },
  {
    title: "Lag of webhooks",
    unit: "s",
    about: "How long the oldest due delivery has been waiting",
    queries: { lag: "max(ci_delivery_lag_seconds)" },
  },
  {
    title: "Waiting deliveries",
    about: "Deliveries with a pending attempt, and events whose deliveries are not recorded yet",
    queries: { waiting: "max(ci_deliveries_waiting)", "deferred events": "max(ci_events_deferred)" },
  },
  {
    title: "Deactivated webhooks",
    about: "By reason",
    queries: { "{{reason}}": "max by (reason) (ci_webhooks_disabled)" },
  },
  {
    title: "Events",
    about: "Published and consumed per second",
    queries: { "{{way}}": "sum by (way) (rate(ci_events_total[5m]))" },
  },
  {
    title: "Lag of events",
    unit: "s",
    about: "Age of the oldest event that is not published yet, or that a reader has not confirmed",
    queries: {
      "not published {{job}} {{collection}}": "max by (job, collection) (ci_outbox_oldest_seconds)",
      "unread {{reader}}": "max by (reader) (ci_events_unread_seconds)",
    },
  },
  {
    title: "Failing calls between services",
    unit: "reqps",
    about: "Per second, without failures that the caller caused",
    queries: {
      "{{method}} {{code}}": 'sum by (method, code) (rate(ci_rpc_seconds_count{code=~"internal|unavailable"}[5m]))',
    },
  },
  {
    title: "Loops",
    about: "Passes that failed within an hour, and seconds per second that passes take",
    queries: {
      "failed {{loop}}": "sum by (loop) (increase(ci_loop_failures_total[1h])) > 0",
      "busy {{loop}}": "sum by (loop) (rate(ci_loop_seconds_sum[5m]))",
    },
  },
  {
    title: "Free space of runners",
    unit: "bytes",
    about: "On disks that builds fill",
    queries: { "{{instance}} {{disk}}": "ci_runner_disk_free_bytes" },
  },
  {
    title: "Free space of MongoDB and NATS",
    unit: "percentunit",
    about: "Of the volumes of the chart, as the kubelet reports it",
    queries: {
      "{{persistentvolumeclaim}}": `kubelet_volume_stats_available_bytes{${volumes}} / kubelet_volume_stats_capacity_bytes`,
    },
  },
];

const datasource = { type: "prometheus", uid: "$datasource" };

/** @param {Panel} panel @param {number} index */
const panelOf = ({ title, unit = "short", about, queries }, index) => ({
  id: index + 1,
  type: "timeseries",
  title,
  description: about,
  datasource,
  gridPos: { h: 8, w: 8, x: (index % 3) * 8, y: Math.floor(index / 3) * 8 },
  fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
  options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi" } },
  targets: Object.entries(queries).map(([legendFormat, expr], nth) => ({ refId: "ABC"[nth], expr, legendFormat })),
});

const dashboard = {
  uid: "service-ci",
  title: "Service CI",
  description: "docs/operating/metrics.md explains every metric.",
  tags: ["service-ci"],
  timezone: "browser",
  schemaVersion: 39,
  version: 1,
  refresh: "30s",
  editable: true,
  graphTooltip: 1,
  time: { from: "now-6h", to: "now" },
  templating: { list: [{ name: "datasource", label: "Prometheus", type: "datasource", query: "prometheus", hide: 0 }] },
  annotations: { list: [] },
  panels: panels.map(panelOf),
};

const file = join(import.meta.dirname, "../../deploy/helm/service-ci/observability/dashboard.json");
const text = `${JSON.stringify(dashboard, undefined, 1)}\n`;
if (!process.argv.includes("--check")) writeFileSync(file, text);
else if (readFileSync(file, "utf8") !== text) {
  console.error("The dashboard is out of date. Run: npm run dashboard");
  process.exitCode = 1;
}
