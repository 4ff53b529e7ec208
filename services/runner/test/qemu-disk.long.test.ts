import { stat } from "node:fs/promises";
import { join } from "node:path";
import { notRun } from "@ci/testkit/not-run";
import { disks, type Machines, openMachines } from "./_machines.js";
import { inside, never, ran } from "./_subject.js";

// An emulated machine needs seconds to boot, and many on a busy host.
jest.setTimeout(900_000);

const MiB = 1024 ** 2;
const diskBytes = 16 * MiB;

if (!disks) notRun("what a virtual machine may write", "CI_TEST_DISKS names no folder of disks");
else {
  let machines: Machines;
  beforeAll(async () => {
    machines = await openMachines({ diskBytes, virtualBytes: 1024 * MiB });
  });
  afterAll(() => machines[Symbol.asyncDispose]());

  /** The test disk has 32 MiB, and the guest runs in memory. */
  const write = (from: number, mebibytes: number) =>
    `dd if=/dev/zero of=/dev/vda bs=1M seek=${from} count=${mebibytes} conv=notrunc,fsync`;

  const usedBytes = async (): Promise<number> => {
    const [folder] = await machines.root.all("qemu");
    return (await stat(join(folder!.path, "overlay"))).blocks * 512;
  };

  test("a build that writes more than QEMU_DISK is ended at the limit, and its last line names it", () =>
    inside(machines, [write(0, 8), write(8, 16)], async ({ environment, order }) => {
      expect((await ran(environment, order.jobs[0]!)).code).toBe(0);
      expect(await usedBytes()).toBeGreaterThan(8 * MiB);
      await expect(ran(environment, order.jobs[1]!)).rejects.toMatchObject({
        name: "Fault",
        message: "Killed: out of disk (limit 16 MiB); raise QEMU_DISK or write less",
      });
      expect(await usedBytes()).toBeLessThan(diskBytes + MiB);
      await expect(environment.run(order.jobs[0]!, async () => undefined, never)).rejects.toThrow("out of disk");
    }));
}
