import { Readable } from "node:stream";
import { notRun } from "@ci/testkit/not-run";
import type { Order } from "../src/driver.js";
import { HostTrouble } from "../src/endings/errors.js";
import { disks, type Machines, openMachines } from "./_machines.js";
import { inside, never, ran } from "./_subject.js";
import { driverContract } from "./driver-contract.js";

// An emulated machine needs seconds to boot, and many on a busy host.
jest.setTimeout(900_000);

if (!disks) notRun("the qemu driver", "CI_TEST_DISKS names no folder of disks");
else {
  let machines: Machines;
  afterAll(() => machines[Symbol.asyncDispose]());

  driverContract(async () => {
    machines = await openMachines();
    return machines;
  });

  test("explains a job that used up all memory from the guest's console", () =>
    inside(machines, ["tail /dev/zero", "kill -9 $$"], async ({ environment, order }) => {
      expect(await environment.explain!(137, never)).toBeUndefined();
      const { code } = await ran(environment, order.jobs[0]!);
      expect([code, await environment.explain!(code, never)]).toEqual([
        137,
        "Killed: out of memory (limit 256 MiB); raise QEMU_MEMORY or use less",
      ]);
      const next = order.jobs[1]!;
      expect((await ran(environment, next)).code).toBe(137);
      expect(await environment.explain!(137, never, next)).toBeUndefined();
    }));

  test.each([
    ["crashes and boots again", "echo c > /proc/sysrq-trigger"],
    ["powers off", "poweroff -f"],
  ])("ends a job whose machine %s", (_how, command) =>
    inside(machines, [`${command}; sleep 600`], async ({ environment, order }) => {
      await expect(ran(environment, order.jobs[0]!)).rejects.toThrow("The connection to the virtual machine was lost");
    }),
  );

  const pidOf = async ({ mark }: Order) =>
    Number((await machines.traces(mark.buildId)).flatMap((one) => /^process (\d+)$/.exec(one)?.[1] ?? [])[0]);

  test("a machine that the host kills fails no job", () =>
    inside(machines, ["echo up; sleep 600"], async ({ environment, order }) => {
      const pid = await pidOf(order);
      const kill = async () => void process.kill(pid, "SIGKILL");
      await expect(environment.run(order.jobs[0]!, kill, never)).rejects.toBeInstanceOf(HostTrouble);
    }));

  test("a machine that the host kills while a file is read is the host's trouble", () =>
    inside(machines, ["dd if=/dev/zero of=big bs=1M count=20 2>/dev/null"], async ({ environment, order }) => {
      await ran(environment, order.jobs[0]!);
      const pid = await pidOf(order);
      const { content } = await environment.open("big", never);
      const read = async () => {
        let pieces = 0;
        for await (const _bytes of content) if (++pieces === 8) process.kill(pid, "SIGKILL");
      };
      await expect(read()).rejects.toBeInstanceOf(HostTrouble);
    }));

  test("reads files after a job that ends the guest's server of files", () => {
    const isServer = '[ "$(cat $process/comm)" = sftp-server ]';
    const script = `echo made > file; for process in /proc/[0-9]*; do ${isServer} && kill -9 \${process#/proc/}; done; true`;
    return inside(machines, [script], async ({ environment, order }) => {
      await environment.put({ path: "given", mode: 0o600, content: Readable.from([Buffer.from("given")]) }, never);
      await ran(environment, order.jobs[0]!);
      const { sizeBytes, close } = await environment.open("file", never);
      await close();
      expect(sizeBytes).toBe(5);
    });
  });

  // Dropbear may refuse a command while another one ends.
  test("starts jobs while others end", () =>
    inside(machines, ["exit 3"], async ({ environment, order }) => {
      const oneAfterAnother = async () => {
        const codes = new Set<number>();
        for (let job = 0; job < 10; job++) codes.add((await ran(environment, order.jobs[0]!)).code);
        return [...codes];
      };
      expect(await Promise.all([oneAfterAnother(), oneAfterAnother(), oneAfterAnother()])).toEqual([[3], [3], [3]]);
    }));

  test("leaves nothing of a file that does not fit", () =>
    inside(
      machines,
      ["mkdir small; mount -t tmpfs -o size=64k none small", "ls -A small; umount small"],
      async ({ environment, order }) => {
        expect(await ran(environment, order.jobs[0]!)).toEqual({ code: 0, text: "" });
        // The error occurs with the last piece, or while most pieces are not sent yet.
        for (const pieces of [1, 20]) {
          const content = Readable.from(Array.from({ length: pieces }, () => Buffer.alloc(100_000)));
          const file = { path: "small/file", mode: 0o700, folderMode: undefined, content };
          await expect(environment.put(file, never)).rejects.toThrow();
        }
        expect(await ran(environment, order.jobs[1]!)).toEqual({ code: 0, text: "" });
      },
    ));

  test("ends a job that has removed its folder, with all that it started", () => {
    const script = "rm -rf /tmp/.ci-*; sleep 9999 & echo gone";
    return inside(
      machines,
      [`${script}; exec sleep 9999`, "pidof sleep || echo none", script, "pidof sleep || echo none"],
      async ({ environment, order: { jobs } }) => {
        const stop = new AbortController();
        const onOutput = async () => stop.abort();
        expect(await environment.run({ ...jobs[0]!, stop: stop.signal }, onOutput, never)).toBe(137);
        expect(await ran(environment, jobs[1]!)).toEqual({ code: 0, text: "none\n" });
        expect(await ran(environment, jobs[2]!)).toEqual({ code: 0, text: "gone\n" });
        expect(await ran(environment, jobs[3]!)).toEqual({ code: 0, text: "none\n" });
      },
    );
  });

  const sealFolder = [
    "folder=$(echo /tmp/.ci-*)",
    "cp $folder/run saved",
    "mount -t tmpfs none $folder",
    "cp saved $folder/run",
    "mount -o remount,ro $folder",
  ].join("\n");

  test("runs jobs after one that empties /tmp, and says if it cannot be written", () =>
    inside(
      machines,
      ["rm -rf /tmp/* /tmp/.[!.]*", "echo next", sealFolder, "echo never"],
      async ({ environment, order: { jobs } }) => {
        expect((await ran(environment, jobs[0]!)).code).toBe(0);
        expect(await ran(environment, jobs[1]!)).toEqual({ code: 0, text: "next\n" });
        expect((await ran(environment, jobs[2]!)).code).toBe(0);
        await expect(ran(environment, jobs[3]!)).rejects.toThrow(
          "The script cannot be written to the virtual machine's /tmp",
        );
      },
    ));
}
