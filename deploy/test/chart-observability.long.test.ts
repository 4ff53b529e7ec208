import { readFileSync } from "node:fs";
import { join } from "node:path";
import { notRun } from "@ci/testkit/not-run";
import { parse } from "yaml";
import { helmOptions, lint, ofKind, type Rendered, render, run, tool } from "./_chart.js";
import { deployDir } from "./_compose.js";

const helm = tool("helm");
const promql = tool("promql");

const source = (name: string) => readFileSync(join(deployDir, "helm/service-ci/observability", name), "utf8");
const rules = parse(source("alerts.yaml"));
const dashboard = JSON.parse(source("dashboard.json"));

function checks() {
  const rendered = (values: Record<string, unknown>) => render(helm, helmOptions("minimal", values));
  const ofOperator = (all: readonly Rendered[]) => ofKind(all, "ServiceMonitor", "PrometheusRule");
  const dashboardIn = (all: readonly Rendered[]) =>
    ofKind(all, "ConfigMap").find(({ data }) => data["service-ci.json"]);

  it("installs nothing for Prometheus and Grafana unless the values say so", () => {
    const all = rendered({});
    expect([ofOperator(all), dashboardIn(all)]).toEqual([[], undefined]);
  });

  it("gives the Prometheus operator exactly the documented alert rules, with the labels that it selects", () => {
    const labels = { release: "prometheus" };
    const all = ofOperator(rendered({ prometheusRule: { enabled: true, labels } }));
    expect(all).toEqual([expect.objectContaining({ kind: "PrometheusRule", spec: rules })]);
    expect(all[0].metadata.labels).toMatchObject({ ...labels, "app.kubernetes.io/instance": "shop" });
  });

  it("gives Grafana exactly the documented dashboard, with the label of its sidecar and the folder", () => {
    const annotations = { grafana_folder: "CI" };
    const { metadata, data } = dashboardIn(
      rendered({ "dashboard.enabled": true, "dashboard.annotations": annotations }),
    );
    expect(JSON.parse(data["service-ci.json"])).toEqual(dashboard);
    expect(metadata).toMatchObject({ annotations, labels: { grafana_dashboard: "1" } });
  });

  it("rejects labels that are not strings", () => {
    for (const part of ["prometheusRule", "dashboard"])
      expect(lint(helm, helmOptions("minimal", { [`${part}.labels.a`]: 1 })).status).not.toBe(0);
  });
}

if ("reason" in helm) notRun("the chart's alerts and dashboard", helm.reason);
else describe("the chart", checks);

if ("reason" in promql) notRun("the queries of alerts and dashboard as Prometheus reads them", promql.reason);
else
  it("alerts and dashboard have only queries that Prometheus accepts", () => {
    const queries = [...rules.groups[0].rules, ...dashboard.panels.flatMap(({ targets }: Rendered) => targets)];
    const result = run(
      promql,
      queries.map(({ expr }) => expr),
    );
    expect(result).toEqual(expect.objectContaining({ status: 0, stderr: "" }));
    expect(run(promql, ["rate(ci_ready)"]).status).not.toBe(0);
  });
