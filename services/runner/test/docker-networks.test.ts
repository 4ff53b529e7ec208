import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardedAgent } from "@ci/kit/net/guarded-agent";
import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import Docker from "dockerode";
import type { Driver } from "../src/driver.js";
import { enginePlace } from "../src/drivers/docker/network/engine-place.js";
import { dockerDriver } from "../src/drivers/docker.js";
import { workRoot } from "../src/drivers/work-root.js";
import { sweep } from "../src/work/sweep.js";
import { installation } from "./_assignment.js";
import { dockerLimits, dockerOptions } from "./_docker.js";
import { never, orderOf, ran } from "./_subject.js";

const image = process.env.CI_TEST_IMAGE;

if (!image) notRun("networks of builds", "no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)");
else {
  const engine = new Docker();
  const name = `test-${randomUUID()}`;
  let dir: string;
  let driver: Driver;

  const open = async (networkKeepMs = 600_000) =>
    dockerDriver(dockerOptions(name, await workRoot(dir, name), { networkKeepMs }));

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
  });
  beforeEach(async () => {
    driver = await open();
  });
  afterEach(() => driver.close?.());
  afterAll(() => rm(dir, { recursive: true }));

  /** The ids of the runner's networks. */
  const networks = async () => {
    const found = await engine.listNetworks({ filters: { label: [`ci.runner=${name}`] } });
    return found.map(({ Id }) => Id).sort();
  };

  /** Runs a build, and calls `during` while its job waits to be removed. */
  async function build(script = "true", during: () => Promise<unknown> = async () => undefined): Promise<string> {
    const order = orderOf({ order: { image: image!, workspace: "/w" } }, [script]);
    await using environment = driver.environment(order);
    await environment.prepare(() => undefined, never);
    const { text } = await ran(environment, order.jobs[0]!);
    await during();
    return text;
  }

  /** Returns what `work` finds out while a build runs. */
  async function inBuild<T>(work: () => Promise<T>): Promise<T> {
    const found: T[] = [];
    await build("true", async () => found.push(await work()));
    return found[0]!;
  }

  const sweepBy = (one: Pick<Driver, "leftovers">) =>
    sweep({
      drivers: [one],
      queue: { listLeases: async () => ({ leases: [], installation }) },
      ...{ runnerId: "id", running: () => [], log: createLog("runner", "silent") },
    });

  test("what a runner left that was killed while setting the packet filter is removed", async () => {
    const agent = guardedAgent(dockerLimits.guard);
    const Labels = { "ci.runner": name };
    const isThere = async ({ id }: Docker.Container) =>
      (await engine.listContainers({ all: true, filters: { id: [id] } })).length > 0;
    const probe = await engine.createNetwork({ Name: `ci-probe-${randomUUID()}`, Labels });
    const left = await engine.createContainer({ Image: image, Entrypoint: ["/bin/sh"], Labels });
    const { pullBytes } = dockerLimits;
    const options = { engine, local: true, runner: name, path: process.env.PATH!, image: "", agent, pullBytes };
    // Without root it cannot set anything.
    const run = (oldMs: number) =>
      enginePlace({ ...options, oldMs })
        .run("true")
        .catch(() => undefined);
    await run(3_600_000);
    expect([await networks(), await isThere(left)]).toEqual([[probe.id], true]);
    await run(0);
    expect([await networks(), await isThere(left)]).toEqual([[], false]);
    await agent.destroy();
  });

  test("the network of an ended build serves the next one", async () => {
    await build();
    const first = await networks();
    expect(first).toHaveLength(1);
    const { Containers: containers } = await engine.getNetwork(first[0]!).inspect();
    expect(containers).toEqual({});
    expect(
      await build("ip addr show eth0 2>&1 || cat /proc/net/dev", async () => {
        expect(await networks()).toEqual(first);
      }),
    ).toContain("eth0");
  });

  test("builds that run at the same time have networks of their own", async () => {
    await build();
    await build("true", () => build());
    expect(await networks()).toHaveLength(2);
  });

  test("a network that something has removed meanwhile is not used", async () => {
    await build();
    const [old] = await networks();
    await engine.getNetwork(old!).remove();
    await build();
    expect(await networks()).toEqual([expect.not.stringContaining(old!)]);
  });

  test("a sweep leaves a network that another build has got meanwhile", async () => {
    await build();
    const listed = await inBuild(() => driver.leftovers());
    const ofNetwork = listed.filter(({ what }) => what.startsWith("network"));
    expect(ofNetwork).toHaveLength(1);
    const before = await networks();
    await sweepBy({ leftovers: async () => ofNetwork });
    expect(await networks()).toEqual(before);
  });

  test("a network that something else has joined is not used", async () => {
    await build();
    const [old] = await networks();
    const other = await engine.createContainer({ Image: image!, Cmd: ["/bin/sh", "-c", "sleep 1000"] });
    try {
      await other.start();
      await engine.getNetwork(old!).connect({ Container: other.id });
      await build("true", async () => expect(await networks()).toHaveLength(2));
    } finally {
      await other.remove({ force: true });
    }
    expect(await sweepBy(driver)).toBe(1);
    expect(await networks()).toHaveLength(1);
  });

  test("networks that no build uses for long are removed", async () => {
    await driver.close?.();
    driver = await open(1);
    await build();
    await eventually(async () => expect(await networks()).toEqual([]));
  });

  test("a stopping runner removes the networks that wait", async () => {
    await build();
    await driver.close?.();
    expect(await networks()).toEqual([]);
  });

  test("after a crash, the next process of a runner removes the networks that waited", async () => {
    await build();
    expect(await sweepBy(driver)).toBe(0);
    const next = await open();
    expect(await sweepBy(next)).toBe(1);
    expect(await networks()).toEqual([]);
    await next.close?.();
  });
}
