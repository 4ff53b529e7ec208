// From the archive of a system to a disk that boots by BIOS. Nothing is mounted, so this needs no rights.

import { readFileSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { must } from "./must.mjs";
import { bootSector, isRoot } from "./tools.mjs";

const mebibyte = 1024 ** 2;
const sectorBytes = 512;

/** In mebibytes: where the partitions are, and the disk's end. What is never written takes no room in an image. */
const [bootAt, rootAt, end] = [1, 129, 20 * 1024];

const partitions = `label: dos
start=${bootAt}MiB, size=${rootAt - bootAt}MiB, type=c, bootable
start=${rootAt}MiB, type=83
`;

const bootConfig = `DEFAULT linux
LABEL linux
 KERNEL vmlinuz
 INITRD initrd.img
 APPEND root=LABEL=root rw console=ttyS0 quiet
`;

/**
 * Root's file system is filled with the archive; kernel and initramfs go where the boot loader reads them. As root it
 * gives all files their owners, else it pretends.
 */
const fillRoot = `set -e
mkdir root boot
tar -C root --exclude=./dev/* -xf root.tar
mv root/boot/vmlinuz-* boot/vmlinuz
mv root/boot/initrd.img-* boot/initrd.img
mke2fs -q -t ext4 -L root -m 0 -d root -E "offset=$1,nodiscard,assume_storage_prezeroed=1" disk "$2"k
rm -r root root.tar
`;

/**
 * Makes a compressed image.
 * @param {string} dir a folder with the system as `root.tar`
 * @param {string} to
 */
export const makeDisk = async (dir, to) => {
  const disk = join(dir, "disk");
  const cwd = { cwd: dir };
  await emptyDisk(disk);
  await writeFile(join(dir, "partitions"), partitions);
  await must("sh", ["-c", "sfdisk -q disk < partitions"], cwd);
  const script = ["sh", "-c", fillRoot, "sh", String(rootAt * mebibyte), String((end - rootAt) * 1024)];
  const [program = "", ...args] = isRoot ? script : ["fakeroot", ...script];
  await must(program, args, cwd);
  await makeBoot(dir, disk);
  await must("qemu-img", ["convert", "-f", "raw", "-O", "qcow2", "-c", disk, to]);
};

/** A disk of zeros with the first sector's program. @param {string} path */
const emptyDisk = async (path) => {
  const file = await open(path, "wx");
  await file.truncate(end * mebibyte);
  await file.write(readFileSync(bootSector()), 0, undefined, 0);
  await file.close();
};

/** @param {string} dir @param {string} disk */
const makeBoot = async (dir, disk) => {
  const config = join(dir, "syslinux.cfg");
  await writeFile(config, bootConfig);
  const image = ["-i", `${disk}@@${bootAt}M`];
  const [sectors, hidden] = [rootAt - bootAt, bootAt].map((size) => String((size * mebibyte) / sectorBytes));
  await must("mformat", [...image, "-T", sectors, "-h", "255", "-s", "63", "-H", hidden, "-v", "BOOT", "::"]);
  await must("syslinux", ["--offset", String(bootAt * mebibyte), "--install", disk]);
  for (const file of ["boot/vmlinuz", "boot/initrd.img", "syslinux.cfg"])
    await must("mcopy", [...image, join(dir, file), `::${file.split("/").at(-1)}`]);
};
