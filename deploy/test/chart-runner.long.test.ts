import { readFileSync } from "node:fs";
import { join } from "node:path";
import { notRun } from "@ci/testkit/not-run";
import {
  containersOf,
  environmentOf,
  externalSecrets,
  helmOptions,
  ofKind,
  partOf,
  type Rendered,
  render,
  template,
  tool,
  workloads,
} from "./_chart.js";
import { deployDir } from "./_compose.js";

const helm = tool("helm");

function checks() {
  /** Returns the runner's pod, its container and the container's settings. */
  function runner(values: Record<string, unknown>) {
    const all = render(helm, helmOptions("minimal", values));
    const workload = workloads(all).find(({ metadata }) => partOf(metadata.labels) === "runner");
    const containers = containersOf(workload);
    const container = containers.find(({ name }) => name === "runner");
    const settings = environmentOf(all, container, externalSecrets);
    return {
      pod: workload.spec.template.spec,
      engine: containers.find(({ name }) => name === "engine"),
      container,
      settings,
    };
  }

  const virtual = { "runner.drivers": ["docker", "qemu"] };
  const memory = (values: Record<string, unknown>) => {
    const { requests, limits } = runner(values).container.resources;
    return [requests.memory, limits.memory];
  };

  it.each([
    ["none", {}, 0, 0],
    ["one", virtual, 1, 2048],
    ["those of all builds", { ...virtual, "runner.settings": { RUNNER_BUILDS: 3, QEMU_MEMORY: "1GiB" } }, 3, 1024],
    [
      "waiting ones too",
      { ...virtual, "runner.settings": { RUNNER_BUILDS: "2", RUNNER_WARM_VMS: 2, QEMU_MEMORY: 2_147_483_649 } },
      6,
      2049,
    ],
  ] as const)(
    "gives the runner's container the memory of its virtual machines: %s",
    (_which, values, machines, each) => {
      const added = machines * (each + 256);
      const expected = machines === 0 ? ["96Mi", "512Mi"] : [`${96 + added}Mi`, `${512 + added}Mi`];
      expect(memory(values)).toEqual(expected);
      expect(runner(values).container.resources.limits).not.toHaveProperty("cpu");
    },
  );

  it("keeps a memory limit of the values if it suffices, and rejects a smaller one", () => {
    const given = (limit: string) => ({ ...virtual, "runner.resources.limits.memory": limit });
    expect(memory(given("2.75Gi"))).toEqual(["2400Mi", "2.75Gi"]);
    const { status, stderr } = template(helm, helmOptions("minimal", given("2815Mi")));
    expect(status).not.toBe(0);
    expect(stderr).toContain("runner.resources.limits.memory is 2815Mi, but a runner needs 2816Mi");
    expect(memory({ "runner.resources.limits.memory": "256Mi" })).toEqual(["96Mi", "256Mi"]);
  });

  it("does not let the runner's heap grow into the memory of virtual machines", () => {
    const [, image] = /^ENV NODE_OPTIONS=(\S+)/m.exec(readFileSync(join(deployDir, "Dockerfile"), "utf8")) ?? [];
    expect(runner(virtual).settings.NODE_OPTIONS).toBe(`${image} --max-old-space-size=${512 / 2}`);
    expect(runner({}).settings.NODE_OPTIONS).toBeUndefined();
  });

  const volumesOf = (values: Record<string, unknown>) => {
    const { pod, ...rest } = runner(values);
    const of = (volume: string) => pod.volumes.find(({ name }: Rendered) => name === volume);
    return { ...rest, work: of("work"), engineData: of("engine-data") };
  };

  it("gives runners volumes that show how much is free, and shows them that of the engine", () => {
    const claims = ({ ephemeral }: Rendered) => {
      const { storageClassName, resources } = ephemeral.volumeClaimTemplate.spec;
      return [resources.requests.storage, storageClassName];
    };
    const usual = volumesOf({});
    expect([claims(usual.work), claims(usual.engineData)]).toEqual(
      [["20Gi"], ["40Gi"]].map(([size]) => [size, undefined]),
    );
    const values = { "runner.storage": "1Ti", "runner.engine.rootless": true, "runner.disks.storageClass": "fast" };
    const chosen = volumesOf(values);
    expect([claims(chosen.work), claims(chosen.engineData)]).toEqual([
      ["1Ti", "fast"],
      ["40Gi", "fast"],
    ]);
    for (const { engine, container } of [usual, chosen]) {
      const mounted = ({ volumeMounts }: Rendered) => volumeMounts.find(({ name }: Rendered) => name === "engine-data");
      expect(mounted(container)).toEqual({ ...mounted(engine), readOnly: true });
    }
  });

  it("uses the nodes' disks if the values say so", () => {
    const { work, engineData } = volumesOf({ "runner.disks.kind": "node" });
    expect(work).toEqual({ name: "work", emptyDir: { sizeLimit: "20Gi" } });
    expect(engineData).toEqual({ name: "engine-data", emptyDir: { sizeLimit: "40Gi" } });
    expect(template(helm, helmOptions("minimal", { "runner.disks.kind": "emptyDir" })).status).not.toBe(0);
  });

  it.each([
    ["20Gi", "5120MiB", "10240MiB"],
    ["200Gi", "10240MiB", "102400MiB"],
  ])("keeps as much for later builds as fits into %s", (storage, copies, images) => {
    const cachesOf = (values: Record<string, unknown>) => {
      const { RUNNER_CACHE_COPIES, RUNNER_IMAGES_CACHE } = runner({ "runner.storage": storage, ...values }).settings;
      return [RUNNER_CACHE_COPIES, RUNNER_IMAGES_CACHE];
    };
    expect(cachesOf(virtual)).toEqual([copies, images]);
    expect(cachesOf({})).toEqual([copies, undefined]);
    const own = { RUNNER_CACHE_COPIES: "1GiB", RUNNER_IMAGES_CACHE: "2GiB" };
    expect(cachesOf({ ...virtual, "runner.settings": own })).toEqual(["1GiB", "2GiB"]);
  });

  it("scales runners with the queued and the running builds, so that busy ones stay", () => {
    const metricOf = (settings: Record<string, unknown>) => {
      const values = { "runner.autoscaling.enabled": true, "runner.settings": settings };
      const [scaler] = ofKind(render(helm, helmOptions("minimal", values)), "HorizontalPodAutoscaler");
      return scaler.spec.metrics[0].external;
    };
    const ofAll = (perRunner: string) => ({
      metric: { name: "ci_builds" },
      target: { type: "AverageValue", averageValue: perRunner },
    });
    expect(metricOf({})).toEqual(ofAll("1"));
    expect(metricOf({ RUNNER_BUILDS: 4 })).toEqual(ofAll("4"));
  });
}

if ("reason" in helm) notRun("runners of the chart", helm.reason);
else describe("the chart's runners", checks);
