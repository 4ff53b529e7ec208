import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { appendFile, copyFile, readdir, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { metrics } from "@ci/kit/process/metrics";
import { eventually } from "@ci/testkit/eventually";
import { listening, listeningOf } from "@ci/testkit/listening";
import { notRun } from "@ci/testkit/not-run";
import type { Driver, Environment, Order } from "../src/driver.js";
import { machinesIn } from "../src/drivers/qemu/leftovers.js";
import type { QemuOptions } from "../src/drivers/qemu.js";
import { markOf } from "../src/drivers/work-root.js";
import { disks, type Machines, openMachines } from "./_machines.js";
import { deferred, never, orderOf, ran } from "./_subject.js";

// An emulated machine needs seconds to boot, and many on a busy host.
const patience = { withinMs: 600_000, everyMs: 50 };
jest.setTimeout(1_500_000);

const one = { perImage: 1, maxMachines: 1, keepMs: 3_600_000 };
const waited = "A virtual machine was waiting";

if (!disks) notRun("virtual machines that wait", "CI_TEST_DISKS names no folder of disks");
else {
  let machines: Machines;
  const drivers: Driver[] = [];
  const environments: Environment[] = [];
  beforeAll(async () => {
    machines = await openMachines();
  });
  afterEach(async () => {
    for (const environment of environments.splice(0)) await environment[Symbol.asyncDispose]();
    for (const driver of drivers.splice(0)) await driver.close?.();
    expect(await machinesIn(machines.root.path)).toEqual([]);
    expect(await folders()).toEqual([]);
  });
  afterAll(() => machines[Symbol.asyncDispose]());

  const aDriver = async (more: Partial<QemuOptions> = {}): Promise<Driver> => {
    const driver = await machines.another({ warm: one, answerMs: patience.withinMs, ...more });
    drivers.push(driver);
    return driver;
  };
  const folders = async () => (await readdir(machines.root.path)).filter((name) => name.startsWith("qemu."));
  const isReady = () =>
    eventually(async () => {
      const gauge = await metrics.getSingleMetric("ci_runner_warm_machines")!.get();
      expect(gauge.values.map(({ value }) => value)).toEqual([1]);
    }, patience);
  /** Returns the machines that no build has received. */
  const spare = async () =>
    (await machinesIn(machines.root.path)).filter(({ folder }) => markOf(folder)?.buildId === 0);

  interface Begun extends AsyncDisposable {
    readonly environment: Environment;
    readonly order: Order;
    readonly said: readonly string[];
  }
  async function begin(driver: Driver, image = "open", scripts: readonly string[] = []): Promise<Begun> {
    const order = orderOf(machines, scripts, { image, imageTicket: image });
    const environment = driver.environment(order);
    environments.push(environment);
    const said: string[] = [];
    await environment.prepare((line) => said.push(line), never);
    return { environment, order, said, [Symbol.asyncDispose]: () => environment[Symbol.asyncDispose]() };
  }
  /** Runs a build to its end, so that the runner keeps a machine with its image ready. */
  const run = async (driver: Driver, image?: string) => (await begin(driver, image))[Symbol.asyncDispose]();

  test("gives the next build a new waiting machine that no other build uses", async () => {
    const driver = await aDriver();
    const look = "cat word 2>/dev/null || echo nothing; echo $SECRET > word";
    const first = await begin(driver, "open", [look]);
    expect(first.said).not.toContain(waited);
    expect((await ran(first.environment, first.order.jobs[0]!)).text).toBe("nothing\n");
    await isReady();
    const [machine] = await spare();
    const inUse = await driver.leftovers();
    expect(inUse.map(({ mark }) => mark)).toEqual([first.order.mark, first.order.mark]);

    const second = await begin(driver, "open", [look]);
    expect(second.said).toContain(waited);
    expect((await spare()).map(({ pid }) => pid)).toContain(machine!.pid);
    expect((await ran(second.environment, second.order.jobs[0]!)).text).toBe("nothing\n");
    const ofSecond = (await driver.leftovers()).filter(({ mark }) => mark.buildId === second.order.mark.buildId);
    expect(ofSecond.map(({ mark, what }) => [mark, what.split(" ")[0]])).toEqual([
      [second.order.mark, "QEMU"],
      [second.order.mark, "folder"],
    ]);
    await second[Symbol.asyncDispose]();
    expect((await spare()).map(({ pid }) => pid)).not.toContain(machine!.pid);
    await first[Symbol.asyncDispose]();

    // The third build waits for its machine if it is not ready yet.
    await using third = await begin(driver, "open", [look]);
    expect(third.said).toContain(waited);
    expect((await ran(third.environment, third.order.jobs[0]!)).text).toBe("nothing\n");
  });

  test("removes process, folder and port of a waiting machine after a crash", async () => {
    const driver = await aDriver();
    await run(driver);
    await isReady();
    const [machine] = await spare();
    const [port] = await listeningOf(machine!.pid);
    expect(await listening()).toContainEqual(port);
    const found = await (await machines.another()).leftovers();
    expect(found.map(({ mark, what }) => [mark.buildId, what])).toEqual([
      [0, `QEMU ${machine!.pid}`],
      [0, `folder ${machine!.folder}`],
    ]);
    for (const { remove } of found) await remove();
    expect([await machinesIn(machines.root.path), await folders()]).toEqual([[], []]);
    await eventually(async () => expect(await listening()).not.toContainEqual(port));
  });

  test("removes a machine that does not respond or has died, and boots another for the build", async () => {
    const driver = await aDriver({ answerMs: 5_000 });
    await run(driver);
    await isReady();
    const [hung] = await spare();
    process.kill(hung!.pid, "SIGSTOP");
    {
      await using second = await begin(driver, "open", ["echo works"]);
      expect(second.said).not.toContain(waited);
      expect((await ran(second.environment, second.order.jobs[0]!)).text).toBe("works\n");
      expect((await spare()).map(({ pid }) => pid)).not.toContain(hung!.pid);
      await isReady();
    }
    const [dead] = await spare();
    process.kill(dead!.pid, "SIGKILL");
    await eventually(async () => expect(await folders()).toEqual([]), patience);
    await using third = await begin(driver);
    expect(third.said).not.toContain(waited);
  });

  test("keeps machines for the images used last, and treats a changed base image as a new one", async () => {
    const driver = await aDriver();
    const path = join(machines.imagesDir, "_base/qemu/x86_64/changing");
    await copyFile(join(disks!, "open.qcow2"), path);
    await run(driver, "changing");
    await isReady();
    const [first] = await spare();
    await utimes(path, new Date(), new Date());
    {
      await using again = await begin(driver, "changing");
      expect(again.said).not.toContain(waited);
      await eventually(async () => expect((await spare()).map(({ pid }) => pid)).not.toContain(first!.pid), patience);
    }
    await isReady();
    expect((await spare()).length).toBe(1);
  });

  test("ends the machine of an image that is no longer used", async () => {
    const driver = await aDriver({ warm: { ...one, keepMs: 1 } });
    await using _build = await begin(driver);
    await eventually(async () => {
      await using next = await begin(driver);
      expect(next.said).not.toContain(waited);
    }, patience);
    await eventually(async () => expect([await spare(), (await folders()).length]).toEqual([[], 1]), patience);
  });

  test("starts no machine while a build is being prepared", async () => {
    const known = deferred();
    const findImage: QemuOptions["images"]["findImage"] = async ({ ticket }) => {
      if (ticket === "unknown yet") await known.promise;
      return {};
    };
    const driver = await aDriver({ images: { ...noBytes, findImage } });
    const preparing = begin(driver, "unknown yet");
    preparing.catch(() => undefined);
    await using other = await begin(driver, "open", ["sleep 1"]);
    await ran(other.environment, other.order.jobs[0]!);
    const found = await folders();
    known.resolve();
    expect(found.length).toBe(1);
    await expect(preparing).rejects.toThrow("There is no image");
    await eventually(async () => expect((await spare()).length).toBe(1), patience);
  });

  const noBytes = {
    readImage: () => {
      throw new Error("there is none");
    },
  };

  test("ends a machine to free cache space for a build", async () => {
    const paths = [join(machines.dir, "one.qcow2"), join(machines.dir, "two.qcow2")];
    for (const path of paths) await copyFile(join(disks!, "open.qcow2"), path);
    await appendFile(paths[1]!, Buffer.alloc(512));
    const images = await Promise.all(paths.map(anImage));
    const service: QemuOptions["images"] = {
      findImage: async ({ ticket }) => ({ image: images[Number(ticket)]!.image }),
      async *readImage({ id }) {
        for await (const chunk of createReadStream(images[id!]!.path)) yield { chunk };
      },
    };
    const driver = await aDriver({ images: service, cacheBytes: images[1]!.image.size! });
    await run(driver, "0");
    await isReady();
    const [first] = await spare();
    await using second = await begin(driver, "1");
    expect(second.said).not.toContain(waited);
    expect((await machinesIn(machines.root.path)).map(({ pid }) => pid)).not.toContain(first!.pid);
    expect((await readdir(join(machines.imagesDir, "_cache"))).sort()).toEqual([images[1]!.image.sha256]);
  });

  const anImage = async (path: string, id: number) => {
    const content = await readFile(path);
    const sha256 = createHash("sha256").update(content).digest("hex");
    return { path, image: { ...unnamed, id, size: content.length, sha256 } };
  };
  const unnamed = { authorId: 1, userId: 1, name: "an image", driver: "qemu", createdAt: new Date(0) };
}
