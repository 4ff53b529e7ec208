import { readFileSync } from "node:fs";
import { join } from "node:path";
import { created } from "@ci/testkit/constellation";
import { eventually } from "@ci/testkit/eventually";
import { type Processes, type ServiceName, startProcesses, thisTree } from "@ci/testkit/processes";
import { suite } from "@ci/testkit/suite";
import { parse } from "yaml";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook: string };
}
interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const readFile = (path: string) => readFileSync(join(thisTree, path), "utf8");
const rules: readonly Rule[] = parse(readFile("deploy/helm/service-ci/observability/alerts.yaml")).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);
const { panels } = JSON.parse(readFile("deploy/helm/service-ci/observability/dashboard.json")) as Dashboard;
const services: readonly ServiceName[] = ["gateway", "builds", "images", "namespaces", "webhooks", "runner"];
const names = suite();
let ci: Processes;
/** The exported metrics and the labels of their series. */
let exported: Map<string, Set<string>>;

beforeAll(async () => {
  ci = await startProcesses(names, { DRIVERS: "os,docker,qemu" });
  const build = (driver: string) => ci.api.post("/builds", { manifest: `{driver: ${driver}}` });
  created(await build("{type: docker, image: nobody, workspace: /w}"));
  const { url } = created(await build("{type: os}"));
  await eventually(async () => expect((await ci.api.get(url)).json.status).toBe("passed"));
  exported = await exportedNow();
});
afterAll(() => ci?.[Symbol.asyncDispose]());

async function exportedNow(): Promise<typeof exported> {
  const metrics: typeof exported = new Map();
  for (const service of services) readInto(metrics, await ci.metrics(service));
  return metrics;
}

function readInto(metrics: Map<string, Set<string>>, text: string): void {
  for (const [, name = ""] of text.matchAll(/^# TYPE (\S+)/gm)) metrics.set(name, metrics.get(name) ?? new Set());
  for (const [, series = "", labels = ""] of text.matchAll(/^(\w+)(?:\{([^}]*)\})? /gm))
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) metrics.get(metricOf(series))?.add(label);
}

const metricOf = (series: string) => series.replace(/_(bucket|count|sum)$/, "");

/** Returns the metrics of a query, and the labels that it selects or groups by. */
function metricsAndLabelsOf(expr: string) {
  const metrics = [...expr.matchAll(/\bci_\w+/g)].map(([name]) => metricOf(name));
  const selected = [...expr.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label]) => label!);
  const grouped = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/,\s*/));
  return {
    metrics,
    labels: [...new Set([...selected, ...grouped])].filter((label) => !/^(le|job|instance)$/.test(label)),
  };
}

const queries = [
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...rules.map(({ alert, expr }) => [alert, expr] as const),
].filter(([, expr]) => !expr.startsWith("kubelet_"));

/** Labels of metrics that count nothing in this test. */
const labelsWithoutSeries: Readonly<Record<string, readonly string[]>> = {
  ci_delivery_failures_total: ["class"],
  ci_deliveries_total: ["outcome"],
  ci_webhooks_disabled: ["reason"],
};

it.each(queries)("%s uses only metrics and labels that a service exports: %s", async (_what, expr) => {
  const { metrics, labels } = metricsAndLabelsOf(expr);
  expect(metrics.length).toBeGreaterThan(0);
  for (const name of metrics) expect([...exported.keys()]).toContain(name);
  const knownLabels = () => metrics.flatMap((name) => [...exported.get(name)!, ...(labelsWithoutSeries[name] ?? [])]);
  // Some metrics have series only after the build's end.
  await eventually(async () => {
    const missing = labels.filter((label) => ![...metrics, ...knownLabels()].includes(label));
    if (missing.length > 0) exported = await exportedNow();
    expect(missing).toEqual([]);
  });
});

it.each([
  ["builds", 'ci_builds_requeued_total{driver="docker"}'],
  ["builds", 'ci_loop_failures_total{loop="requeue-lost"}'],
  ["namespaces", 'ci_rpc_seconds_count{method="/ci.namespaces.v1.AccountService/DeleteUser",code="internal"}'],
] as const)("%s shows that nothing of %s happened yet, so that alerts see the first", async (service, series) =>
  expect(await ci.metrics(service)).toContain(`\n${series} 0\n`),
);

it("docs/operating/alerts.md has a section for every alert, and no others", () => {
  const sections = [...readFile("docs/operating/alerts.md").matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, annotations } of rules)
    expect(annotations.runbook).toBe(`docs/operating/alerts.md#${alert.toLowerCase()}`);
});

it("alerts tell of processes that are gone, which export no metrics", () => {
  const ofAbsence = rules.filter(({ expr }) => /\bup == 0\b|\babsent\(ci_ready\)/.test(expr));
  expect(ofAbsence.map(({ alert }) => alert)).toEqual(["CiDown", "CiGone"]);
});

it("docs/operating/metrics.md lists exactly the exported metrics", () => {
  const documented = [...readFile("docs/operating/metrics.md").matchAll(/^\| (`ci_[^|]*) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(documented.sort()).toEqual([...exported.keys()].sort());
});

it("the gauges report queued builds and connected runners", async () => {
  const builds = await ci.metrics("builds");
  expect(builds).toContain('ci_builds{driver="docker",status="queued"} 1');
  expect(builds).toContain('ci_builds{driver="os",status="running"} 0');
  expect(builds).toContain('ci_runners{driver="os"} 1');
  expect(builds).toContain('ci_runners{driver="docker"} 0');
  expect(builds).toContain('ci_builds_finished_total{status="passed",driver="os"} 1');
  const value = (name: string, text: string) =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (.*)$`, "m").exec(text)?.[1]);
  expect(value('ci_oldest_queued_build_seconds\\{driver="docker"\\}', builds)).toBeGreaterThan(0);
  await eventually(async () => expect(value("ci_outbox_oldest_seconds", await ci.metrics("builds"))).toBe(0));
  expect(value("ci_ready", await ci.metrics("runner"))).toBe(1);
  expect(value("ci_runner_places", await ci.metrics("runner"))).toBe(1);
});
