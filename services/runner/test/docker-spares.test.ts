import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import Docker from "dockerode";
import type { Driver, Order } from "../src/driver.js";
import { type DockerOptions, dockerDriver } from "../src/drivers/docker.js";
import { workRoot } from "../src/drivers/work-root.js";
import { sweep } from "../src/work/sweep.js";
import { installation } from "./_assignment.js";
import { deriveImage, dockerOptions } from "./_docker.js";
import { contentOf, never, orderOf, ran, textOf } from "./_subject.js";

const image = process.env.CI_TEST_IMAGE;

if (!image) notRun("waiting containers", "no Docker Engine (CI_TEST_IMAGE names an image with /bin/sh)");
else {
  const engine = new Docker();
  let name: string;
  let dir: string;
  let driver: Driver;

  const open = async (spares: DockerOptions["spares"] = { max: 1, keepMs: 600_000 }) =>
    dockerDriver(dockerOptions(name, await workRoot(dir, name), { spares }));

  beforeEach(async () => {
    name = `test-${randomUUID()}`;
    dir = await mkdtemp(join(tmpdir(), "runner-test-"));
    driver = await open();
  });
  afterEach(async () => {
    await driver.close?.();
    await rm(dir, { recursive: true });
  });

  /** The short ids of this runner's containers that wait. */
  async function waiting(count: number, status = "paused"): Promise<string[]> {
    const filters = { label: [`ci.runner=${name}`], status: [status] };
    return eventually(async () => {
      const found = (await engine.listContainers({ filters })).filter(({ Labels: labels }) => labels["ci.spare"]);
      expect(found).toHaveLength(count);
      return found.map(({ Id }) => Id.slice(0, 12)).sort();
    });
  }

  const plain = { order: { image: image!, workspace: "/w" } };

  /** Runs a build of these jobs and returns what each printed. */
  async function build(scripts: readonly string[], more: Partial<Order> = {}): Promise<string[]> {
    const order = orderOf(plain, scripts, more);
    await using environment = driver.environment(order);
    await environment.prepare(() => undefined, never);
    const texts: string[] = [];
    for (const job of order.jobs) texts.push((await ran(environment, job)).text);
    return texts;
  }

  const sweepBy = (one: Pick<Driver, "leftovers">) =>
    sweep({
      drivers: [one],
      queue: { listLeases: async () => ({ leases: [], installation }) },
      ...{ runnerId: "id", running: () => [], log: createLog("runner", "silent") },
    });

  /** Records these events of containers that wait. */
  async function spareEvents(...event: string[]) {
    const filters = { event, label: [`ci.runner=${name}`] };
    const stream = (await engine.getEvents({ filters })) as Readable;
    const seen: string[] = [];
    createInterface({ input: stream }).on("line", (line) => {
      const { Action: action, Actor: actor } = JSON.parse(line);
      if (actor.Attributes["ci.spare"]) seen.push(action);
    });
    return { seen, [Symbol.dispose]: () => void stream.destroy() };
  }

  const traces = async () => {
    const filters = { label: [`ci.runner=${name}`] };
    const containers = await engine.listContainers({ all: true, filters });
    const { Volumes: volumes } = await engine.listVolumes({ filters });
    return [...containers.map(({ Id }) => Id), ...(volumes ?? []).map(({ Name }) => Name)];
  };

  test("a container is started ahead for the next build with the same image", async () => {
    await build(["true"]);
    const [spare] = await waiting(1);
    expect(await build(["hostname", "hostname"])).toEqual([`${spare}\n`, expect.not.stringContaining(spare!)]);
    expect(await waiting(1)).not.toEqual([spare]);
  });

  test("a build that comes soon takes a container that is not paused yet", async () => {
    await driver.close?.();
    driver = await open({ max: 1, keepMs: 600_000, pauseAfterMs: 600_000 });
    await build(["true"]);
    const [spare] = await waiting(1, "running");
    expect(await build(["hostname"])).toEqual([`${spare}\n`]);
  });

  test("a build passes in a container whose pause has ended without it", async () => {
    await build(["true"]);
    const [spare] = await waiting(1);
    await engine.getContainer(spare!).unpause();
    expect(await build(["hostname"])).toEqual([`${spare}\n`]);
  });

  test("a job in a container that waited sees what it would see in a new one", async () => {
    const look = [
      "env | grep -v ^HOSTNAME= | sort; pwd; id; umask; ls -al / | grep ci-script; tr '\\0' ' ' </proc/1/cmdline",
      "echo; ls -la . /root; cat; echo $0 $#; cat /proc/1/limits /proc/1/mountinfo | grep -c .; exit 3",
    ].join("\n");
    const variables = [
      { key: "A", value: 'it\'s\n "a" $B' },
      { key: "HOME", value: "/elsewhere" },
    ];
    const [cold] = await build([look], { variables });
    await waiting(1);
    const [warm] = await build([look], { variables });
    const untimed = (text = "") => text.replace(/[A-Z][a-z]{2} +\d+ \d\d:\d\d/g, "");
    expect(untimed(warm)).toBe(untimed(cold));
    expect(cold).toContain("A=it's");
  });

  test("a container that waited holds nothing of earlier builds, gets files, leaves artifacts and ends with its job", async () => {
    await build(["echo secret > left; echo secret > /left"]);
    await waiting(1);
    const order = orderOf(plain, [
      "set +e; cat put /root/put; ls; ls / | grep left; echo new > new; sleep 1000 & exit 7",
      "cat new",
    ]);
    await using environment = driver.environment(order);
    await environment.prepare(() => undefined, never);
    for (const path of ["put", "/root/put"])
      await environment.put({ path, mode: 0o600, content: textOf(`${path}\n`) }, never);
    const [first, second] = order.jobs;
    expect(await ran(environment, first!)).toEqual({ code: 7, text: "put\n/root/put\nput\n" });
    expect(await contentOf(environment, "new")).toBe("new\n");
    expect(await ran(environment, second!)).toEqual({ code: 0, text: "new\n" });
  });

  test.each([
    ["services or caches outside the workspace", { cachePaths: ["~/.cache"] }],
    ["variables that shells treat in their own way", { variables: [{ key: "PPID", value: "5" }] }],
    ["another workspace", { workspace: "/other" }],
  ])("a build with %s starts a container of its own", async (_what, more) => {
    await build(["true"]);
    const [spare] = await waiting(1);
    expect(await build(["hostname; env"], more)).toEqual([expect.not.stringContaining(spare!)]);
  });

  test("a container that has ended while it waited is replaced", async () => {
    await build(["true"]);
    const [spare] = await waiting(1);
    await engine.getContainer(spare!).kill();
    await eventually(async () => expect(await traces()).toEqual([]));
    expect(await build(["echo fine"])).toEqual(["fine\n"]);
    await waiting(1);
  });

  describe("a shell that does not become ready", () => {
    let silent: string;
    let ending: string;
    /** Makes an image whose shell does this instead of waiting for a job. */
    const withShell = (instead: string) => {
      const shell = `#!/bin/busybox sh\ncase "$2" in "printf .;"*) ${instead} ;; esac\nexec /bin/busybox sh "$@"\n`;
      return deriveImage(engine, { base: image!, tag: `test-${randomUUID()}`, shell });
    };
    beforeAll(async () => {
      silent = await withShell("exec /bin/busybox sleep 100000");
      ending = await withShell("exit 1");
    });
    afterAll(async () => {
      for (const one of [silent, ending]) await engine.getImage(one).remove();
    });

    /** Resolves when a container with the silent shell runs. */
    test("is given up after a while", async () => {
      await driver.close?.();
      driver = await open({ max: 1, keepMs: 600_000, readyMs: 1 });
      await build(["true"], { image: silent });
      await eventually(async () => expect(await traces()).toEqual([]));
      expect(await build(["echo fine"], { image: silent })).toEqual(["fine\n"]);
    });

    test("does not keep other images from having containers that wait", async () => {
      await build(["true"], { image: ending });
      await eventually(async () => expect(await traces()).toEqual([]));
      await build(["true"]);
      await waiting(1);
    });

    test("does not outlive the time that a container waits", async () => {
      await driver.close?.();
      driver = await open({ max: 1, keepMs: 20_000, readyMs: 10 * 60_000 });
      using events = await spareEvents("start", "destroy");
      await build(["true"], { image: silent });
      await eventually(() => expect(events.seen).toEqual(["start", "destroy"]));
      await eventually(async () => expect(await traces()).toEqual([]));
    });

    test("does not hold up a stopping runner", async () => {
      await driver.close?.();
      driver = await open({ max: 1, keepMs: 600_000, readyMs: 10 * 60_000 });
      await build(["true"], { image: silent });
      await waiting(1, "running");
      await driver.close?.();
      expect(await traces()).toEqual([]);
    });
  });

  test("containers that wait are no leftovers, and those that no build takes for long are removed", async () => {
    await build(["true"]);
    await waiting(1);
    expect(await sweepBy(driver)).toBe(0);
    await driver.close?.();
    driver = await open({ max: 1, keepMs: 1 });
    using removals = await spareEvents("destroy");
    await build(["true"]);
    await eventually(() => expect(removals.seen).toHaveLength(1));
    await eventually(async () => expect(await traces()).toEqual([]));
  });

  test("a stopping runner removes the containers that wait, also those that are just starting", async () => {
    await build(["true"]);
    await driver.close?.();
    expect(await traces()).toEqual([]);
  });

  test("after a crash, the next process of a runner removes the containers that waited", async () => {
    await build(["true"]);
    await waiting(1);
    const next = await open();
    expect(await sweepBy(next)).toBeGreaterThan(0);
    await next.close?.();
    await eventually(async () => expect(await traces()).toEqual([]));
  });

  test("as many containers wait as the setting says, once an image is used again", async () => {
    await driver.close?.();
    driver = await open({ max: 2, keepMs: 600_000 });
    await build(["true"]);
    await waiting(1);
    await build(["true"]);
    await waiting(2);
    await build(["true"], { workspace: "/other" });
    const both = await waiting(2);
    await build(["true"], { workspace: "/other" });
    const [kept] = await eventually(async () => {
      const now = await waiting(2);
      expect(now).not.toEqual(both);
      return now.filter((id) => both.includes(id));
    });
    expect(kept).toBeDefined();
  });
}
