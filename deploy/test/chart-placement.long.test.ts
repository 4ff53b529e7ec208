import { notRun } from "@ci/testkit/not-run";
import { helmOptions, lint, ofKind, partOf, type Rendered, render, tool, workloads } from "./_chart.js";
import { services } from "./_settings.js";

const helm = tool("helm");

const placements = () =>
  workloads(render(helm, helmOptions("minimal"))).map(({ kind, metadata, spec }): [string, string, Rendered] => [
    partOf(metadata.labels),
    kind,
    spec,
  ]);

/** Whether the level `restricted` of Pod Security admits a pod. */
function isRestricted({ securityContext, volumes, ...pod }: Rendered): boolean {
  const kinds = ["configMap", "secret", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected"];
  const isUser = (context: Rendered) => context.runAsNonRoot !== false && context.runAsUser !== 0;
  return (
    securityContext.runAsNonRoot === true &&
    securityContext.seccompProfile.type === "RuntimeDefault" &&
    volumes.every((volume: Rendered) => kinds.some((kind) => kind in volume)) &&
    [...(pod.initContainers ?? []), ...pod.containers].every(
      ({ securityContext: own }) =>
        own.allowPrivilegeEscalation === false && isUser(own) && own.capabilities.drop.includes("ALL"),
    )
  );
}

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

  it.each([
    ["an engine beside it", {}, ["runner"]],
    ["an engine elsewhere", { "runner.engine": { kind: "remote", host: "tcp://engine:2376" } }, []],
    ["KVM of a device plugin", { "runner.drivers": ["qemu"], "runner.kvm.kind": "plugin" }, []],
    ["KVM of the node", { "runner.drivers": ["qemu"], "runner.kvm.kind": "host" }, ["runner"]],
  ])("creates pods for namespaces that enforce the level restricted, except a runner with %s", (_, values, but) => {
    const all = workloads(render(helm, helmOptions("minimal", values)));
    const refused = all.filter(({ spec }) => !isRestricted(spec.template.spec));
    expect(refused.map(({ metadata }) => partOf(metadata.labels))).toEqual(but);
  });

  const idsOf = (values: Record<string, unknown>) =>
    workloads(render(helm, helmOptions("minimal", values))).map(({ metadata, spec }): [string, unknown] => {
      const { runAsUser, runAsGroup, fsGroup } = spec.template.spec.securityContext;
      return [partOf(metadata.labels), [runAsUser, runAsGroup, fsGroup]];
    });
  const alike = (id: number | undefined) => [id, id, id];
  const assigned = { services: null, mongodb: null, nats: null };

  it("runs pods as the users of the values", () => {
    const runAsUser = { services: 1_000_650_000, mongodb: 20_000, nats: 30_000 };
    expect(new Map(idsOf({ runAsUser }))).toEqual(
      new Map([
        ...services.map((service): [string, unknown] => [service, alike(1_000_650_000)]),
        ["mongodb", alike(20_000)],
        ["nats", alike(30_000)],
      ]),
    );
  });

  it("names no user if the cluster assigns them, except in a privileged runner, whose engine has a group", () => {
    const remote = { kind: "remote", host: "tcp://engine:2376" };
    for (const [, ids] of idsOf({ runAsUser: assigned, "runner.engine": remote }))
      expect(ids).toEqual(alike(undefined));
    const named = idsOf({ runAsUser: assigned }).filter(([, ids]) => `${ids}` !== `${alike(undefined)}`);
    expect(named).toEqual([["runner", alike(10_001)]]);
  });

  it.each([10_001, 1_000_650_000])("lets the runner of user %s use its engine's socket", (user) => {
    const all = workloads(render(helm, helmOptions("minimal", { "runAsUser.services": user })));
    const { spec } = all.find(({ metadata }) => partOf(metadata.labels) === "runner").spec.template;
    expect(spec.initContainers[0].args).toContain(`--group=${user}`);
  });

  it("lets a node be drained also while no pod of a service is ready, but keeps members of MongoDB", () => {
    const options = helmOptions("minimal", { "podDisruptionBudgets.enabled": true });
    const budgets = ofKind(render(helm, options), "PodDisruptionBudget").map(({ metadata, spec }) => [
      partOf(metadata.labels),
      spec.unhealthyPodEvictionPolicy,
    ]);
    const policies = services.map((service) => [service, "AlwaysAllow"]);
    expect(budgets).toEqual([...policies.sort(), ["mongodb", undefined]]);
  });

  it("rejects labels that its own selectors use", () =>
    expect(lint(helm, helmOptions("minimal", { "builds.labels": { "app.kubernetes.io/name": "x" } })).status).not.toBe(
      0,
    ));

  it("gives a process that waits for MongoDB more time than the kubelet remembers restarts", () => {
    const rememberedSeconds = 600;
    for (const [part, , { template }] of placements().filter(([part]) => services.includes(part))) {
      const { startupProbe } = template.spec.containers.find(({ name }: Rendered) => name === part);
      expect(startupProbe.periodSeconds * startupProbe.failureThreshold).toBeGreaterThan(rememberedSeconds);
    }
  });

  it("puts each part where its values say, with their labels and annotations", () => {
    const place = { nodeSelector: { pool: "ci" }, tolerations: [{ key: "ci" }], priorityClassName: "high" };
    const parts = [...services, "mongodb", "nats", "backup"];
    const marks = (part: string) => ({ labels: { team: part }, annotations: { owner: part } });
    const options = Object.fromEntries(parts.map((part) => [part, { ...place, ...marks(part) }]));
    const all = render(helm, [...helmOptions("minimal", options), "--set", "backup.enabled=true,backup.storage=1Gi"]);
    const jobs = ofKind(all, "CronJob").map(({ spec }) => spec.jobTemplate);
    for (const { spec } of [...workloads(all), ...jobs]) {
      const { metadata, spec: pod } = spec.template;
      expect(pod).toMatchObject(place);
      expect(metadata).toMatchObject(marks(partOf(metadata.labels)));
    }
    expect(workloads(all).length + jobs.length).toBe(parts.length);
    expect(ofKind(all, "Pod")).toEqual([expect.objectContaining({ spec: expect.objectContaining(place) })]);
    expect(ofKind(all, "Pod")[0].metadata).toMatchObject(marks("gateway"));
  });
}

if ("reason" in helm) notRun("where pods of the chart run", helm.reason);
else describe("the chart", checks);
