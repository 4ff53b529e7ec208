import { notRun } from "@ci/testkit/not-run";
import { helmOptions, ofKind, partOf, type Rendered, render, tool, workloads } from "./_chart.js";
import { services } from "./_settings.js";

const helm = tool("helm");

const placements = () =>
  workloads(render(helm, helmOptions("minimal"))).map(({ kind, metadata, spec }): [string, string, Rendered] => [
    partOf(metadata.labels),
    kind,
    spec,
  ]);

function checks() {
  const spread = placements().filter(([part]) => [...services, "mongodb"].includes(part));

  // With several constraints, the scheduler gives nodes that lack a label of one of them no score for any.
  it.each(spread)("spreads %s over nodes without labels of zones, and over zones if it can", (_part, kind, spec) => {
    const revision = kind === "Deployment" ? { matchLabelKeys: ["pod-template-hash"] } : {};
    const labelSelector = spec.selector;
    const pod = spec.template.spec;
    expect(pod.topologySpreadConstraints).toEqual([
      {
        ...{ topologyKey: "kubernetes.io/hostname", maxSkew: 1, whenUnsatisfiable: "ScheduleAnyway" },
        ...{ labelSelector, ...revision },
      },
    ]);
    const podAffinityTerm = { topologyKey: "topology.kubernetes.io/zone", labelSelector, ...revision };
    expect(pod.affinity).toEqual({
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm }] },
    });
  });

  it("asks the container that knows MongoDB's set whether a member is available", () => {
    const [, , spec] = placements().find(([part]) => part === "mongodb")!;
    const { containers } = spec.template.spec;
    const [mongod, set] = ["mongodb", "set"].map((wanted) => containers.find(({ name }: Rendered) => name === wanted));
    expect(mongod.readinessProbe).toBeUndefined();
    const { port } = set.readinessProbe.httpGet;
    const { containerPort } = set.ports.find(({ name }: Rendered) => name === port);
    expect(set.args).toEqual(["/app/mongo.cjs", "keep", "/keys", "/tls", `${containerPort}`]);
  });

  it("spreads every service and MongoDB", () => expect(spread).toHaveLength(services.length + 1));

  it("puts each part where its values say", () => {
    const place = { nodeSelector: { pool: "ci" }, tolerations: [{ key: "ci" }], priorityClassName: "high" };
    const parts = [...services, "mongodb", "nats", "backup"];
    const options = Object.fromEntries(parts.map((part) => [part, { ...place, annotations: { owner: part } }]));
    const all = render(helm, [...helmOptions("minimal", options), "--set", "backup.enabled=true,backup.storage=1Gi"]);
    const jobs = ofKind(all, "CronJob").map(({ spec }) => spec.jobTemplate);
    for (const { spec } of [...workloads(all), ...jobs]) {
      const { metadata, spec: pod } = spec.template;
      expect(pod).toMatchObject(place);
      expect(metadata.annotations.owner).toBe(partOf(metadata.labels));
    }
    expect(workloads(all).length + jobs.length).toBe(parts.length);
  });
}

if ("reason" in helm) notRun("where pods of the chart run", helm.reason);
else describe("the chart", checks);
