import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { eventually } from "@ci/testkit/eventually";
import { notRun } from "@ci/testkit/not-run";
import { Client } from "ssh2";
import type { Environment, Order } from "../src/driver.js";
import { machinesIn } from "../src/drivers/qemu/leftovers.js";
import { Ended } from "../src/endings/ended.js";
import { disks, type Machines, openMachines } from "./_machines.js";
import { never, orderOf, ran } from "./_subject.js";

// An emulated machine needs seconds to boot, and many on a busy host.
const patience = { withinMs: 600_000, everyMs: 50 };
jest.setTimeout(1_500_000);
const hourMs = 3_600_000;
const mib = 1024 ** 2;

if (!disks) notRun("the machine of a failed build", "CI_TEST_DISKS names no folder of disks");
else {
  let machines: Machines;
  beforeAll(async () => {
    machines = await openMachines();
  });
  afterAll(() => machines[Symbol.asyncDispose]());

  const wordAt = 60_000 * 512;
  /** Writes a word to a file, and another to the disk without flushing it. */
  const script =
    "echo kept > word; printf disk-word | dd of=/dev/vda bs=512 seek=60000 conv=notrunc 2>/dev/null; false";

  async function failBuild(keepLimitMs = hourMs): Promise<{ environment: Environment; order: Order }> {
    const driver = await machines.another({ keepLimitMs });
    const order = orderOf(machines, [script], { image: "keyed" });
    const environment = driver.environment(order);
    await environment.prepare(() => undefined, never);
    expect((await ran(environment, order.jobs[0]!)).code).not.toBe(0);
    return { environment, order };
  }

  /** Logs in as the line says, runs a command and returns its output. A command that ends the machine has none. */
  async function runOverSsh(line: string, command: string): Promise<string> {
    const [, key, port] = /^On the host of the runner contract: ssh -i (\S+) -p (\d+) root@127.0.0.1$/.exec(line) ?? [];
    expect(((await stat(key!)).mode & 0o777).toString(8)).toBe("600");
    const client = new Client();
    client.on("error", () => undefined);
    const login = { host: "127.0.0.1", port: Number(port), username: "root", privateKey: await readFile(key!) };
    client.connect({ ...login, hostVerifier: () => true, readyTimeout: patience.withinMs });
    await once(client, "ready");
    try {
      return await new Promise((resolve, reject) =>
        client.exec(command, (error, channel) => {
          if (error) return reject(error);
          let text = "";
          channel.on("data", (piece: Buffer) => {
            text += piece;
          });
          channel.on("close", () => resolve(text));
        }),
      );
    } finally {
      client.end();
    }
  }

  /** Reads the word from the disk of a machine that has ended. */
  async function wordOf({ inspection }: Environment): Promise<string> {
    const file = await inspection!.disk(50 * mib, never);
    const [copy, raw] = [join(machines.dir, "copy.qcow2"), join(machines.dir, "copy.raw")];
    await writeFile(copy, file.content);
    execFileSync("qemu-img", ["convert", "-O", "raw", copy, raw]);
    return (await readFile(raw)).subarray(wordAt, wordAt + 9).toString();
  }

  test("stays reachable with the key until it is powered off, and yields its disk as one file", async () => {
    const { environment, order } = await failBuild();
    await using _place = environment;
    const said: string[] = [];
    const staying = environment.inspection!.stay(hourMs, (line) => said.push(line), never, never);
    await eventually(() => expect(said.length).toBe(2), patience);
    expect(said[0]).toMatch(
      /^The virtual machine stays as it is until \d{4}-\d\d-\d\dT\S+Z, or until the build is killed/,
    );
    expect(await runOverSsh(said[1]!, "cat /root/word")).toBe("kept\n");
    const key = await readFile(/-i (\S+)/.exec(said[1]!)![1]!, "utf8");
    for (const line of key.split("\n").filter((text) => text.length > 20)) expect(said.join()).not.toContain(line);
    await runOverSsh(said[1]!, "sync; poweroff -f");
    await staying;
    expect(await machinesIn(machines.root.path)).toEqual([]);
    expect(said.length).toBe(2);

    await expect(environment.inspection!.disk(mib, never)).rejects.toMatchObject({ message: "larger than 1 MiB" });
    const copy = join(machines.dir, "copy.qcow2");
    // Reads the file twice, because sending it may be interrupted and repeated.
    for (const _try of [1, 2]) {
      const file = await environment.inspection!.disk(50 * mib, never);
      await pipeline(file.content, createWriteStream(copy));
      expect(file.sizeBytes).toBe((await stat(copy)).size);
      await file.close();
    }
    const info = JSON.parse(execFileSync("qemu-img", ["info", "--output=json", copy], { encoding: "utf8" }));
    expect(info).not.toHaveProperty("backing-filename");
    const [raw, before] = [join(machines.dir, "copy.raw"), join(machines.dir, "before.raw")];
    execFileSync("qemu-img", ["convert", "-O", "raw", copy, raw]);
    execFileSync("qemu-img", ["convert", "-O", "raw", join(disks!, "keyed.qcow2"), before]);
    const [after, image] = [await readFile(raw), await readFile(before)];
    expect(after.subarray(wordAt, wordAt + 9).toString()).toBe("disk-word");
    expect(after.subarray(0, wordAt).equals(image.subarray(0, wordAt))).toBe(true);
    await environment[Symbol.asyncDispose]();
    expect(await machines.traces(order.mark.buildId)).toEqual([]);
  });

  test("stays no longer than the runner allows, with everything written to its disk", async () => {
    const { environment } = await failBuild(1);
    await using _place = environment;
    const said: string[] = [];
    await environment.inspection!.stay(hourMs, (line) => said.push(line), never, never);
    expect(said.length).toBe(2);
    expect(await machinesIn(machines.root.path)).toEqual([]);
    expect(await wordOf(environment)).toBe("disk-word");
  });

  test("stays no longer once the runner drains, with everything written to its disk", async () => {
    const { environment } = await failBuild();
    await using _place = environment;
    const draining = new AbortController();
    const said: string[] = [];
    const staying = environment.inspection!.stay(hourMs, (line) => said.push(line), never, draining.signal);
    await eventually(() => expect(said.length).toBe(2), patience);
    draining.abort();
    await staying;
    expect(said[2]).toBe("The runner stops, so the virtual machine is shut down.");
    expect(await machinesIn(machines.root.path)).toEqual([]);
    expect(await wordOf(environment)).toBe("disk-word");
  });

  test("ends at once on a kill", async () => {
    const { environment, order } = await failBuild();
    await using _place = environment;
    const stop = new AbortController();
    const said: string[] = [];
    const staying = environment.inspection!.stay(hourMs, (line) => said.push(line), stop.signal, never);
    staying.catch(() => undefined);
    await eventually(() => expect(said.length).toBe(2), patience);
    stop.abort(new Ended("killed"));
    await expect(staying).rejects.toMatchObject({ ending: "killed" });
    expect(await machinesIn(machines.root.path)).toEqual([]);
    await environment[Symbol.asyncDispose]();
    expect(await machines.traces(order.mark.buildId)).toEqual([]);
  });
}
