import { notRun } from "@ci/testkit/not-run";
import {
  containersOf,
  environmentOf,
  externalSecrets,
  helmOptions,
  lint,
  ofKind,
  partOf,
  type Rendered,
  render,
  tool,
  workloads,
} from "./_chart.js";
import { services } from "./_settings.js";

const helm = tool("helm");

function checks() {
  const endpoint = "http://collector.observability:4318";
  const to = [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "observability" } } }];
  const traced = { "tracing.endpoint": endpoint, "tracing.egress.to": to };
  const rendered = (values: Record<string, unknown>) => render(helm, helmOptions("minimal", values));
  const [withTraces, without] = [rendered(traced), rendered({})];

  const settingsOf = (service: string, all: readonly Rendered[]) => {
    const workload = workloads(all).find(({ metadata }) => partOf(metadata.labels) === service);
    const container = containersOf(workload).find(({ name }) => name === service);
    const env = environmentOf(all, container, externalSecrets);
    return [env.NODE_OPTIONS, env.OTEL_EXPORTER_OTLP_ENDPOINT, env.OTEL_TRACES_SAMPLER];
  };
  const register = "--import file:///app/deploy/otel/register.mjs";

  it.each(services)("%s sends traces to the collector, which its network policy allows", (service) => {
    expect(settingsOf(service, withTraces)).toEqual([`--max-semi-space-size=8 ${register}`, endpoint, undefined]);
    expect(settingsOf(service, without)).toEqual([undefined, undefined, undefined]);
    const egressOf = (all: readonly Rendered[]) =>
      ofKind(all, "NetworkPolicy").find(({ spec }) => partOf(spec.podSelector.matchLabels) === service).spec.egress;
    const ports = [{ port: 4318 }];
    expect(egressOf(withTraces)).toContainEqual({ to, ports });
    expect(egressOf(without)).not.toContainEqual(expect.objectContaining({ ports }));
  });

  it("settings add options of Node.js and of the SDK to the chart's own", () => {
    const added = { NODE_OPTIONS: "--max-old-space-size=512", OTEL_TRACES_SAMPLER: "always_off" };
    const elsewhere = "http://other:4318";
    const all = rendered({
      ...traced,
      "runner.drivers": ["qemu"],
      "runner.settings": added,
      "builds.settings": { OTEL_EXPORTER_OTLP_ENDPOINT: elsewhere },
    });
    const own = "--max-semi-space-size=8 --max-old-space-size=256";
    expect(settingsOf("runner", all)).toEqual([`${own} ${register} --max-old-space-size=512`, endpoint, "always_off"]);
    expect(settingsOf("builds", all)[1]).toBe(elsewhere);
    const wrong = helmOptions("minimal", { "builds.settings": { NODE_AUTH_TOKEN: "x" } });
    expect(lint(helm, wrong).status).not.toBe(0);
  });
}

if ("reason" in helm) notRun("traces of the chart", helm.reason);
else describe("traces with the chart", checks);
