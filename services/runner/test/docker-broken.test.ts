import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import Docker from "dockerode";
import type { Driver, Environment, Job, Order } from "../src/driver.js";
import { dockerDriver } from "../src/drivers/docker.js";
import { workRoot } from "../src/drivers/work-root.js";
import { Ended } from "../src/endings/ended.js";
import { HostTrouble } from "../src/endings/errors.js";
import { deriveImage, dockerOptions } from "./_docker.js";
import { type EngineProxy, engineProxy } from "./_engine-proxy.js";
import { contentOf, never, orderOf, ran } from "./_subject.js";

const base = process.env.CI_TEST_IMAGE;

if (!base) notRun("a broken engine", "no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)");
else {
  const engine = new Docker();
  let name: string;
  let dir: string;
  let proxy: EngineProxy;
  let driver: Driver;
  let environments: Environment[];

  beforeEach(async () => {
    name = `test-${randomUUID()}`;
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
    environments = [];
    proxy = await engineProxy();
    driver = dockerDriver(dockerOptions(name, await workRoot(dir, name), { host: proxy.host }));
  });
  afterEach(async () => {
    proxy.become("open");
    for (const one of environments) await one[Symbol.asyncDispose]();
    await driver.close?.();
    await proxy[Symbol.asyncDispose]();
    await rm(dir, { recursive: true });
  });

  const containers = () => engine.listContainers({ all: true, filters: { label: [`ci.runner=${name}`] } });

  /** Prepares a build of one job. */
  async function prepared(
    script: string,
    image = base!,
    more: Partial<Order> = {},
  ): Promise<{ environment: Environment; job: Job }> {
    const order = orderOf({ order: { image, workspace: "/w" } }, [script], more);
    const environment = driver.environment(order);
    environments.push(environment);
    await environment.prepare(() => undefined, never);
    return { environment, job: order.jobs[0]! };
  }

  const container = async () => engine.getContainer((await containers())[0]!.Id);

  async function touch(path: string): Promise<void> {
    const command = await (await container()).exec({ Cmd: ["touch", path] });
    (await command.start({ Detach: true })).resume();
  }

  /** Lets a job end, unless its container has been removed. */
  const letEnd = () => touch("/go").catch(() => undefined);

  /** Runs a job that has written `begun`. `before` does something when its environment is ready. */
  async function begun(script: string, { image = base!, signal = never, before = async () => {} } = {}) {
    const { environment, job } = await prepared(`echo begun >begun; ${script}`, image);
    await before();
    const end = ran(environment, job, signal);
    end.catch(() => undefined);
    await eventually(async () => expect(await contentOf(environment, "begun")).toBe("begun\n"));
    return { end };
  }

  test.each([
    ["", 1],
    [" after the stream of events has been opened again", 2],
  ])("a job whose output breaks off does not pass when its container ends%s", async (_when, streams) => {
    const run = await begun("echo one; until [ -e /go ]; do sleep 0.1; done; echo 3 tests failed");
    proxy.cut();
    await eventually(() => expect(proxy.watched).toBeGreaterThanOrEqual(streams));
    await letEnd();
    await expect(run.end).rejects.toBeInstanceOf(HostTrouble);
  });

  test("a job does not pass if only the connection of its output breaks", async () => {
    const run = await begun("echo one; until [ -e /go ]; do sleep 0.1; done; echo 3 tests failed");
    proxy.cut("end", "/attach?");
    await letEnd();
    await expect(run.end).rejects.toBeInstanceOf(HostTrouble);
  });

  test("a job that closes its output runs on", async () => {
    const run = await begun("exec >&- 2>&-; until [ -e /go ]; do sleep 0.1; done; exit 3");
    await touch("/go");
    expect(await run.end).toEqual({ code: 3, text: "" });
  });

  test.each([
    ["kills", (one: Docker.Container) => one.kill()],
    ["stops", (one: Docker.Container) => one.stop({ t: 0 })],
  ])("an engine that %s a container does not fail its job", async (_how, end) => {
    const run = await begun("sleep 1000");
    await end(await container());
    await expect(run.end).rejects.toBeInstanceOf(HostTrouble);
  });

  test("an engine that kills a container does not fail its job, also if the stream of its events broke off before", async () => {
    const before = async () => {
      proxy.cut();
      await eventually(() => expect(proxy.watched).toBe(2));
    };
    const run = await begun("sleep 1000", { before });
    await (await container()).kill();
    await expect(run.end).rejects.toBeInstanceOf(HostTrouble);
  });

  test("the labels of an image do not hide that its container was killed", async () => {
    const image = await deriveImage(engine, { base: base!, tag: name, changes: "LABEL exitCode=0 signal=0" });
    try {
      const run = await begun("sleep 1000", { image });
      await (await container()).kill();
      await expect(run.end).rejects.toBeInstanceOf(HostTrouble);
    } finally {
      await engine.getImage(image).remove();
    }
  });

  test("a file of a job whose content breaks off is the machine's trouble", async () => {
    const { environment, job } = await prepared("truncate -s 64M big");
    await ran(environment, job);
    const file = await environment.open("big", never);
    const content = file.content[Symbol.asyncIterator]();
    await content.next();
    proxy.cut("reset");
    const readAll = async () => {
      while (!(await content.next()).done);
    };
    await expect(readAll()).rejects.toBeInstanceOf(HostTrouble);
  });

  describe("an engine that does not answer delays no kill", () => {
    const ending = new Ended("killed");
    let kill: AbortController;
    beforeEach(() => {
      kill = new AbortController();
    });
    const killWhenHeld = async () => {
      await eventually(() => expect(proxy.held).toBeGreaterThan(0));
      kill.abort(ending);
    };

    test("before the job starts", async () => {
      const { environment, job } = await prepared("true");
      proxy.become("silent");
      const end = ran(environment, job, kill.signal);
      await Promise.all([killWhenHeld(), expect(end).rejects.toBe(ending)]);
    });

    test("while the job runs", async () => {
      const { end } = await begun("sleep 1000", { signal: kill.signal });
      proxy.become("silent");
      kill.abort(ending);
      await expect(end).rejects.toBe(ending);
    });

    test("while files are listed", async () => {
      const { environment } = await prepared("true");
      proxy.become("silent");
      const listed = environment.list(".", 1, kill.signal)[Symbol.asyncIterator]().next();
      await Promise.all([killWhenHeld(), expect(listed).rejects.toBe(ending)]);
    });
  });

  test("the removal of a container waits for an engine that cannot be reached", async () => {
    const { environment } = await prepared("true");
    proxy.become("refusing");
    const removed = environment[Symbol.asyncDispose]();
    await eventually(() => expect(proxy.refused).toBeGreaterThan(20));
    proxy.become("open");
    await removed;
    expect(await containers()).toEqual([]);
  });

  test("a runner that stops does not wait for an engine that cannot be reached", async () => {
    const lease = new AbortController();
    const { environment } = await prepared("true", base, { lost: lease.signal });
    proxy.become("refusing");
    lease.abort(new Ended("lost"));
    await environment[Symbol.asyncDispose]();
    expect(proxy.refused).toBeLessThan(20);
  });
}
