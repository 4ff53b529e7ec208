import { readFileSync } from "node:fs";
import { join } from "node:path";
import { notRun } from "@ci/testkit/not-run";
import {
  containersOf,
  environmentOf,
  externalSecrets,
  helmOptions,
  partOf,
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
}

if ("reason" in helm) notRun("runners of the chart", helm.reason);
else describe("the chart's runners", checks);
