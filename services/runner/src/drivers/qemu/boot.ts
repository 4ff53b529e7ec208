import { execFile } from "node:child_process";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { HeldImage } from "./cache.js";
import { nameFor } from "./leftovers.js";
import { type Acceleration, commonArguments, firstFileFd, type Machine, startMachine, type User } from "./machine.js";
import { seedDisk } from "./seed.js";

/** What a virtual machine gets. */
export interface Limits {
  readonly cpus: number;
  readonly memoryBytes: number;
  /** Whether it reaches what this machine reaches; else it reaches nothing. */
  readonly outbound: boolean;
}

export interface Boot {
  /** For its files; nobody else's. */
  readonly folder: string;
  readonly image: HeldImage;
  /** The size of the image's disk. */
  readonly virtualBytes: number;
  readonly publicKey: string;
  readonly limits: Limits;
  readonly acceleration: Acceleration;
  readonly user?: User;
  /** Where to look for QEMU. */
  readonly path: string;
}

/** Starts a virtual machine on an image that stays as it is: whatever is written goes to a file of the folder. */
export async function boot({ folder, image, virtualBytes, publicKey, ...how }: Boot): Promise<Machine> {
  const overlay = join(folder, "overlay");
  const seed = join(folder, "seed");
  await writeFile(seed, seedDisk(publicKey, folder.split("/").at(-1)!), { mode: 0o600 });
  await promisify(execFile)("qemu-img", ["create", "-q", "-f", "qcow2", overlay, String(virtualBytes)], {
    env: { PATH: how.path },
  });
  const files = [await open(overlay, "r+"), await open(seed, "r")] as const;
  try {
    return startMachine({
      path: how.path,
      arguments: argumentsOf(folder, how),
      files: [image.file, ...files].map(({ fd }) => fd),
      user: how.user,
    });
  } finally {
    for (const file of files) await file.close();
  }
}

/** An open file as QEMU knows it: it opens nothing by a name, so it needs no right to. */
const given = (index: number) => ({ driver: "file", filename: `/dev/fdset/${index}` });

function argumentsOf(folder: string, { limits, acceleration }: Pick<Boot, "limits" | "acceleration">): string[] {
  const disks = [
    // Whatever the file itself says about files behind it.
    { driver: "qcow2", "node-name": "image", "read-only": true, backing: null, file: given(1) },
    // Nobody needs what was not yet on the disk when the machine has crashed.
    { driver: "qcow2", "node-name": "disk", backing: "image", cache: { "no-flush": true }, file: given(2) },
    { driver: "raw", "node-name": "seed", "read-only": true, file: given(3) },
  ];
  const restrict = limits.outbound ? "off" : "on";
  return [
    ...["-name", nameFor(folder), ...commonArguments(acceleration)],
    ...["-smp", String(limits.cpus), "-m", `${Math.ceil(limits.memoryBytes / 1024 ** 2)}M`],
    ...disks.flatMap((disk, index) => [
      ...["-add-fd", `fd=${firstFileFd + index},set=${index + 1}`, "-blockdev", JSON.stringify(disk)],
    ]),
    ...["-device", "virtio-blk-pci,drive=disk,bootindex=1", "-device", "virtio-blk-pci,drive=seed"],
    ...["-netdev", `user,id=net,restrict=${restrict},hostfwd=tcp:127.0.0.1:0-:22`],
    ...["-device", "virtio-net-pci,netdev=net,romfile=", "-device", "virtio-rng-pci"],
  ];
}
