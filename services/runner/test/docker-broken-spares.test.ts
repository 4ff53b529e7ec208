import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import Docker from "dockerode";
import type { Driver, Environment } from "../src/driver.js";
import { dockerDriver } from "../src/drivers/docker.js";
import { workRoot } from "../src/drivers/work-root.js";
import { HostTrouble } from "../src/endings/errors.js";
import { dockerOptions } from "./_docker.js";
import { type EngineProxy, engineProxy } from "./_engine-proxy.js";
import { contentOf, never, orderOf, ran } from "./_subject.js";

const image = process.env.CI_TEST_IMAGE;

if (!image) notRun("broken containers that waited", "no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)");
else {
  const engine = new Docker();
  let name: string;
  let dir: string;
  let proxy: EngineProxy;
  let driver: Driver;

  /** Prepares a build of one job, which takes the container that waits. */
  async function prepared(script: string) {
    const order = orderOf({ order: { image: image!, workspace: "/w" } }, [script]);
    const environment = driver.environment(order);
    await environment.prepare(() => undefined, never);
    return { environment, job: order.jobs[0]! };
  }

  const contentSoon = (environment: Environment, path: string, content: string) =>
    eventually(async () => expect(await contentOf(environment, path)).toBe(content));

  const containers = (filters: Readonly<Record<string, string[]>> = {}) =>
    engine.listContainers({ all: true, filters: { label: [`ci.runner=${name}`], ...filters } });

  let waiting: Docker.Container;
  beforeEach(async () => {
    name = `test-${randomUUID()}`;
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
    proxy = await engineProxy();
    const more = { host: proxy.host, spares: { max: 1, keepMs: 600_000 } };
    driver = dockerDriver(dockerOptions(name, await workRoot(dir, name), more));
    const { environment, job } = await prepared("true");
    await ran(environment, job);
    await environment[Symbol.asyncDispose]();
    waiting = await eventually(async () => {
      const [found] = await containers({ status: ["paused"] });
      return engine.getContainer(found!.Id);
    });
  });
  afterEach(async () => {
    await driver.close?.();
    await proxy[Symbol.asyncDispose]();
    await rm(dir, { recursive: true });
  });

  test.each([
    ["is killed", () => waiting.kill()],
    ["loses its connection", () => proxy.cut("reset")],
  ])("a container that %s before it takes its job fails no build", async (_what, end) => {
    const { environment, job } = await prepared("echo fine");
    await using _ = environment;
    await end();
    await expect(ran(environment, job)).rejects.toBeInstanceOf(HostTrouble);
  });

  test("a job whose connection breaks does not pass", async () => {
    const { environment, job } = await prepared("echo begun >begun; sleep 1000");
    await using _ = environment;
    const end = ran(environment, job);
    end.catch(() => undefined);
    await contentSoon(environment, "begun", "begun\n");
    proxy.cut("reset");
    await expect(end).rejects.toBeInstanceOf(HostTrouble);
  });

  test("a container that loses its connection while it waits is removed", async () => {
    proxy.cut("reset");
    await eventually(async () => expect(await containers()).toEqual([]));
    const { environment, job } = await prepared("echo fine");
    await using _ = environment;
    expect(await ran(environment, job)).toEqual({ code: 0, text: "fine\n" });
  });
}
