import { notRun } from "@ci/testkit/not-run";
import { disks, type Machines, openMachines } from "./_machines.js";
import { driverContract } from "./driver-contract.js";

// Under emulation a machine needs seconds to boot, on a busy host many.
jest.setTimeout(180_000);

if (!disks) notRun("the qemu driver", "CI_TEST_DISKS names no folder of disks");
else {
  let machines: Machines;
  afterAll(() => machines[Symbol.asyncDispose]());

  driverContract(async () => {
    machines = await openMachines();
    return machines;
  });
}
