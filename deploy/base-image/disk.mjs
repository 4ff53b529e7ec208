// Turns the archive of a system into a disk that boots by BIOS. It mounts nothing, so it needs no privileges.

import { readFileSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { must } from "./must.mjs";
import { bootSector, isRoot } from "./tools.mjs";

const mebibyte = 1024 ** 2;
const sectorBytes = 512;

/** In mebibytes: the start of each partition, and the end of the disk. Unwritten parts take no space in an image. */
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
 * Fills the root file system from the archive, and moves kernel and initramfs to the boot loader's partition. Without root,
 * fakeroot provides the files' owners.
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
 * @param {string} dir a folder with the system in `root.tar`
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

/** Creates a disk of zeros with a boot sector. @param {string} path */
const emptyDisk = async (path) => {
  const file = await open(path, "wx");
  await file.truncate(end * mebibyte);
  await file.writeFile(readFileSync(bootSector()));
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
