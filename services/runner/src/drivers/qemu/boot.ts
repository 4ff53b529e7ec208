import { execFile } from "node:child_process";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { User } from "../user.js";
import type { HeldImage } from "./cache.js";
import { nameFor } from "./leftovers.js";
import { type Acceleration, commonArguments, firstFileFd, type Machine, overlayNode, startMachine } from "./machine.js";
import { seedDisk } from "./seed.js";

const sectorBytes = 512;

export interface Limits {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly outbound: boolean;
}

interface Boot {
  readonly folder: string;
  readonly image: HeldImage;
  readonly virtualBytes: number;
  readonly publicKey: string;
  readonly limits: Limits;
  readonly acceleration: Acceleration;
  readonly user?: User;
  readonly path: string;
}

/** Starts a machine. The image is not changed: all writes go to an overlay in the folder. */
export async function boot({ folder, image, virtualBytes, publicKey, ...how }: Boot): Promise<Machine> {
  const overlay = join(folder, "overlay");
  const seed = join(folder, "seed");
  await writeFile(seed, seedDisk(publicKey, folder.split("/").at(-1)!), { mode: 0o600 });
  await promisify(execFile)("qemu-img", ["create", "-q", "-f", "qcow2", overlay, String(virtualBytes)], {
    env: { PATH: how.path },
  });
  const files = [await open(overlay, "r+"), await open(seed, "r")] as const;
  try {
    await files[0].truncate(overlaySize(how.limits));
    return startMachine({
      path: how.path,
      arguments: argumentsOf(folder, how),
      files: [image.file, ...files].map(({ fd }) => fd),
      user: how.user,
      diskBytes: overlaySize(how.limits),
    });
  } finally {
    for (const file of files) await file.close();
  }
}

const overlaySize = ({ diskBytes }: Limits): number => diskBytes - (diskBytes % sectorBytes);

/** QEMU gets open files, so it needs no right to open them. */
const given = (index: number) => ({ driver: "file", filename: `/dev/fdset/${index}` });

function argumentsOf(folder: string, { limits, acceleration }: Pick<Boot, "limits" | "acceleration">): string[] {
  // A write beyond the size fails like one to a full disk.
  const overlay = { driver: "raw", "node-name": overlayNode, size: overlaySize(limits), file: given(2) };
  const disks = [
    // Ignores any backing file that the image names.
    { driver: "qcow2", "node-name": "image", "read-only": true, backing: null, file: given(1) },
    // After a crash nobody needs the disk.
    { driver: "qcow2", "node-name": "disk", backing: "image", cache: { "no-flush": true }, file: overlay },
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
