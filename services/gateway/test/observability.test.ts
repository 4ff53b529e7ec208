import { readFileSync } from "node:fs";
import { join } from "node:path";
import { made } from "@ci/testkit/constellation";
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

const read = (path: string) => readFileSync(join(thisTree, path), "utf8");
const rules: readonly Rule[] = parse(read("deploy/observability/alerts.yaml")).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);
const { panels } = JSON.parse(read("deploy/observability/dashboard.json")) as Dashboard;
const services: readonly ServiceName[] = ["gateway", "builds", "images", "namespaces", "webhooks", "runner"];
const names = suite();
let on: Processes;
/** Exported metrics, with the labels that have values. */
let exposed: Map<string, Set<string>>;

beforeAll(async () => {
  on = await startProcesses(names, { DRIVERS: "os,docker,qemu" });
  const build = (driver: string) => on.api.post("/builds", { manifest: `{driver: ${driver}}` });
  made(await build("{type: docker, image: nobody, workspace: /w}"));
  const { url } = made(await build("{type: os}"));
  await eventually(async () => expect((await on.api.get(url)).json.status).toBe("passed"));
  exposed = await nowExposed();
});
afterAll(() => on?.[Symbol.asyncDispose]());

async function nowExposed(): Promise<typeof exposed> {
  const into: typeof exposed = new Map();
  for (const service of services) readInto(into, await on.metrics(service));
  return into;
}

function readInto(into: Map<string, Set<string>>, text: string): void {
  for (const [, name = ""] of text.matchAll(/^# TYPE (\S+)/gm)) into.set(name, into.get(name) ?? new Set());
  for (const [, series = "", labels = ""] of text.matchAll(/^(\w+)(?:\{([^}]*)\})? /gm))
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) into.get(metricOf(series))?.add(label);
}

const metricOf = (series: string) => series.replace(/_(bucket|count|sum)$/, "");

/** Metrics of a query, and the labels that it selects or groups by. */
function asked(expr: string) {
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
];

/** Labels of events that do not happen in this test. */
const unseen: Readonly<Record<string, readonly string[]>> = {
  ci_delivery_failures_total: ["class"],
  ci_deliveries_total: ["outcome"],
  ci_builds_requeued_total: ["driver"],
  ci_loop_failures_total: ["loop"],
  ci_webhooks_disabled: ["reason"],
};

it.each(queries)("%s queries metrics that a service exports: %s", async (_what, expr) => {
  const { metrics, labels } = asked(expr);
  expect(metrics.length).toBeGreaterThan(0);
  for (const name of metrics) expect([...exposed.keys()]).toContain(name);
  const known = () => metrics.flatMap((name) => [...exposed.get(name)!, ...(unseen[name] ?? [])]);
  // Some metrics count only after the build's end.
  await eventually(async () => {
    const missing = labels.filter((label) => ![...metrics, ...known()].includes(label));
    if (missing.length > 0) exposed = await nowExposed();
    expect(missing).toEqual([]);
  });
});

it("every alert has a section that says what to do, and no section lacks an alert", () => {
  const sections = [...read("docs/operating/alerts.md").matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  expect(sections).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, annotations } of rules)
    expect(annotations.runbook).toBe(`docs/operating/alerts.md#${alert.toLowerCase()}`);
});

it("exactly the exported metrics are documented", () => {
  const documented = [...read("docs/operating/metrics.md").matchAll(/^\| (`ci_[^|]*) \|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  expect(documented.sort()).toEqual([...exposed.keys()].sort());
});

it("the gauges report queued builds and connected runners", async () => {
  const builds = await on.metrics("builds");
  expect(builds).toContain('ci_builds{driver="docker",status="queued"} 1');
  expect(builds).toContain('ci_builds{driver="os",status="running"} 0');
  expect(builds).toContain('ci_runners{driver="os"} 1');
  expect(builds).toContain('ci_runners{driver="docker"} 0');
  expect(builds).toContain('ci_builds_finished_total{status="passed",driver="os"} 1');
  const value = (name: string, text: string) =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (.*)$`, "m").exec(text)?.[1]);
  expect(value('ci_oldest_queued_build_seconds\\{driver="docker"\\}', builds)).toBeGreaterThan(0);
  await eventually(async () => expect(value("ci_outbox_oldest_seconds", await on.metrics("builds"))).toBe(0));
  expect(value("ci_ready", await on.metrics("runner"))).toBe(1);
  expect(value("ci_runner_places", await on.metrics("runner"))).toBe(1);
});
