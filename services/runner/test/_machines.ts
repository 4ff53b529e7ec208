import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "@ci/kit/process/log";
import { eventually } from "@ci/testkit/eventually";
import type { Driver, Environment, Mark } from "../src/driver.js";
import { machinesIn } from "../src/drivers/qemu/leftovers.js";
import { type QemuOptions, qemuDriver } from "../src/drivers/qemu.js";
import { markOf, type WorkRoot, workRoot } from "../src/drivers/work-root.js";
import { openEgress } from "./_docker.js";
import { never, orderOf, ran, type Subject } from "./_subject.js";
import { aQemu } from "./_suite.js";

/** A folder with the disks `keyed.qcow2` and `open.qcow2`; undefined if they could not be made. */
export const disks = process.env.CI_TEST_DISKS;

/** An images service without images, so that builds get base images. */
export const noImages: QemuOptions["images"] = {
  findImage: async () => ({}),
  readImage: () => {
    throw new Error("No image");
  },
};

/** A qemu driver in its own folder, with the test disks as base images. */
export interface Machines extends Subject, AsyncDisposable {
  readonly dir: string;
  readonly root: WorkRoot;
  readonly imagesDir: string;
  /** Opens the driver of another process with the same name. */
  another(more?: Partial<QemuOptions>): Promise<Driver>;
}

/** Prints the number of processes in the working directory, except the server of files, which lasts as long as the connection. */
const count = `cd /
count=0
for process in /proc/[0-9]*; do
  [ "$(readlink $process/cwd)" = /root ] && [ "$(cat $process/comm)" != sftp-server ] && count=$((count+1))
done
echo $count`;

const clean = "find . -mindepth 1 -maxdepth 1 -exec rm -rf {} +";

export async function openMachines(config: Partial<QemuOptions> = {}): Promise<Machines> {
  const dir = await mkdtemp(join(tmpdir(), "runner-test-"));
  const root = await workRoot(dir, "contract");
  const imagesDir = join(dir, "images");
  const base = join(imagesDir, "_base/qemu/x86_64");
  await mkdir(base, { recursive: true });
  for (const name of ["keyed", "open"]) await symlink(join(disks!, `${name}.qcow2`), join(base, name));
  const environments = new Map<number, Environment>();
  let used: { environment: Environment; mark: Mark } | undefined;

  const another = (more: Partial<QemuOptions> = {}): Promise<Driver> =>
    qemuDriver({
      ...aQemu(imagesDir),
      ...{
        name: "contract",
        root,
        path: process.env.PATH!,
        builds: 4,
        egress: openEgress,
        images: noImages,
        log: createLog("runner", "silent"),
      },
      ...config,
      ...more,
    });
  const opened = await another();
  const driver: Driver = {
    ...opened,
    environment(order) {
      const environment = opened.environment(order);
      environments.set(order.mark.buildId, environment);
      return environment;
    },
  };
  const machinesOf = async (buildId: number) =>
    (await machinesIn(root.path)).filter(({ folder }) => markOf(folder)?.buildId === buildId);
  /** Reports whether a machine can be used as if it were new. One that a test has ended may still be listed. */
  const isNew = async ({ environment, mark }: { environment: Environment; mark: Mark }) =>
    (await machinesOf(mark.buildId)).length > 0 &&
    (await ran(environment, { id: 0, script: clean }).then(
      ({ code }) => code === 0,
      () => false,
    ));

  async function retire(): Promise<void> {
    if (!used) return;
    await used.environment[Symbol.asyncDispose]();
    expect(await subject.traces(used.mark.buildId)).toEqual([]);
    used = undefined;
  }

  const subject: Machines = {
    ...{ driver, dir, root, imagesDir, another },
    order: { image: "open", workspace: "" },
    elsewhere: "/somewhere/else",
    async processes(buildId) {
      if ((await machinesOf(buildId)).length === 0) return 0;
      const { text } = await ran(environments.get(buildId)!, { id: 0, script: count }).catch(() => ({ text: "0" }));
      return Number(text);
    },
    runs: async (buildId) => (await machinesOf(buildId)).length > 0,
    async traces(buildId) {
      const folders = (await root.all("qemu")).filter(({ mark }) => mark.buildId === buildId);
      const machines = await machinesOf(buildId);
      return [...folders.map(({ path }) => path), ...machines.map(({ pid }) => `process ${pid}`)];
    },
    async shared() {
      if (used && (await isNew(used))) return used;
      await retire();
      const order = orderOf(subject, []);
      const environment = driver.environment(order);
      await environment.prepare(() => undefined, never);
      used = { environment, mark: order.mark };
      return used;
    },
    async [Symbol.asyncDispose]() {
      await retire();
      await driver.close?.();
      await eventually(async () => expect(await machinesIn(root.path)).toEqual([]));
      await rm(dir, { recursive: true });
    },
  };
  return subject;
}
