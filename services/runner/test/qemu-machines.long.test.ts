import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { notRun } from "@ci/testkit/not-run";
import { canBoot } from "../src/drivers/qemu/acceleration.js";
import { machinesIn } from "../src/drivers/qemu/leftovers.js";
import { withTimeout } from "../src/endings/ended.js";
import { disks, type Machines, openMachines } from "./_machines.js";
import { contentOf, never, orderOf, ran, textOf } from "./_subject.js";

// An emulated machine needs seconds to boot, and many on a busy host.
jest.setTimeout(900_000);

if (!disks) notRun("virtual machines", "CI_TEST_DISKS names no folder of disks");
else {
  let machines: Machines;
  beforeAll(async () => {
    machines = await openMachines();
  });
  afterAll(() => machines[Symbol.asyncDispose]());

  const hashOf = async (path: string) => {
    const hash = createHash("sha256");
    await pipeline(createReadStream(path), hash);
    return hash.digest("hex");
  };
  const statusOf = async (pid: number) => await readFile(`/proc/${pid}/status`, "utf8");

  test("isolates three at a time from each other and from this host, and leaves their image unchanged", async () => {
    const image = join(disks!, "keyed.qcow2");
    const before = await hashOf(image);
    await using listening = await aListener();
    const make = async (word: string) => {
      const order = orderOf(machines, [script(word, listening.port), "cat word", noisyScript], { image: "keyed" });
      const environment = machines.driver.environment(order);
      await environment.prepare(() => undefined, never);
      await environment.put({ path: "word", mode: 0o600, content: textOf(word) }, never);
      return { order, environment, word };
    };
    const all = await Promise.all(["one", "two", "three"].map(make));
    const started = await machinesIn(machines.root.path);
    expect(started.length).toBe(3);
    const statuses = await Promise.all(started.map(({ pid }) => statusOf(pid)));
    expect(statuses.map((status) => /Seccomp:\s+(\d)/.exec(status)?.[1])).toEqual(["2", "2", "2"]);
    const users = new Set(statuses.map((status) => /Uid:\s+(\d+)/.exec(status)![1]));
    // Without root, machines run as the runner's user.
    if (process.getuid?.() === 0) expect([users.size, users.has("0")]).toEqual([3, false]);
    await Promise.all(
      all.map(async ({ environment, order, word }) => {
        const { code, text } = await ran(environment, order.jobs[0]!);
        expect([code, text]).toEqual([0, `disk: ${word}\nport: unreachable\n`]);
        expect(await ran(environment, order.jobs[1]!)).toEqual({ code: 0, text: word });
        expect(await contentOf(environment, "/root/word")).toBe(word);
        expect((await ran(environment, order.jobs[2]!)).code).toBe(0);
      }),
    );
    for (const { environment, order } of all) {
      await environment[Symbol.asyncDispose]();
      expect(await machines.traces(order.mark.buildId)).toEqual([]);
    }
    expect(listening.connections()).toBe(0);
    expect(await hashOf(image)).toBe(before);
  });

  /** Prints everything about processes, and errors of the shell. The driver must not mistake this for the job's end. */
  const noisyScript = "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ || true; no-such-program || true";

  /** Writes a word to the machine's disk, reads it back, and tries to connect to the host. */
  const script = (word: string, port: number) =>
    `printf %s ${word} | dd of=/dev/vda bs=512 seek=60000 conv=notrunc,fsync 2>/dev/null
echo 3 > /proc/sys/vm/drop_caches
echo "disk: $(dd if=/dev/vda bs=512 skip=60000 count=1 2>/dev/null | tr -d '\\0')"
if nc -w 3 10.0.2.2 ${port} < /dev/null; then echo port: reached; else echo port: unreachable; fi 2>/dev/null`;

  async function aListener() {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    return { port, connections: () => connections, [Symbol.asyncDispose]: async () => void server.close() };
  }

  test("prints the console of a machine that does not boot, and removes it at the time limit", async () => {
    const empty = join(machines.imagesDir, "_base/qemu/x86_64/empty");
    execFileSync("qemu-img", ["create", "-q", "-f", "qcow2", empty, "1M"]);
    // A slow host gets more time until the console shows something.
    let text = "";
    for (let ms = 5_000; ms < 100_000 && !text.includes("No bootable device"); ms *= 2) text = await outputWithin(ms);
    expect(text).toMatch(/Nobody could log in .*: no SSH server answers\. Its console:\n.*No bootable device/s);
  });

  /** Returns what a machine with an empty disk prints until this time limit. */
  async function outputWithin(ms: number): Promise<string> {
    const lines: string[] = [];
    using time = withTimeout(ms, never);
    await using environment = machines.driver.environment(orderOf(machines, [], { image: "empty" }));
    const prepared = environment.prepare((line) => lines.push(line), time.signal);
    await expect(prepared).rejects.toMatchObject({ ending: "timed_out" });
    expect(await machinesIn(machines.root.path)).toEqual([]);
    return lines.join("\n");
  }

  test.each(["none", "", "../keyed", "a/../keyed", "/keyed", "keyed/", "."])("finds no image %p", async (image) => {
    await using environment = machines.driver.environment(orderOf(machines, [], { image }));
    await expect(environment.prepare(() => undefined, never)).rejects.toMatchObject({
      message: `There is no image ${image}: upload it, or name a base image of the runner`,
    });
  });

  test("tests an acceleration by booting a machine", async () => {
    const trial = { path: process.env.PATH!, folder: machines.dir };
    expect(await canBoot("tcg", { ...trial, proofMs: 600_000 })).toBe(true);
    expect(await canBoot("tcg", { ...trial, path: "/nowhere" })).toBe(false);
    // The choice of "auto" depends on this host. On every host it makes one and leaves nothing behind.
    const driver = await machines.another({ acceleration: "auto" });
    expect(await driver.ready()).toBe(true);
    expect(await driver.leftovers()).toEqual([]);
    expect(await machinesIn(machines.root.path)).toEqual([]);
  });

  test("is not ready without QEMU", async () => {
    expect(await (await machines.another({ path: "/nowhere" })).ready()).toBe(false);
  });
}
