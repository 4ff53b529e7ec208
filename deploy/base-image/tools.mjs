// What the making of an image needs of this machine.
import { existsSync } from "node:fs";
import { onPath } from "../local/provision/machine.mjs";

export const isRoot = process.getuid?.() === 0;

/** Programs, and Debian's packages of them. */
const programs = {
  mmdebstrap: "mmdebstrap",
  mke2fs: "e2fsprogs",
  sfdisk: "fdisk",
  mformat: "mtools",
  syslinux: "syslinux",
  "qemu-img": "qemu-utils",
  // What root can do is pretended.
  ...(isRoot ? {} : { fakeroot: "fakeroot", newuidmap: "uidmap" }),
};

/** The first sector's program, which starts the partition that is marked: where distributions have put it. */
const bootSectors = ["/usr/lib/SYSLINUX/mbr.bin", "/usr/lib/syslinux/mbr/mbr.bin", "/usr/share/syslinux/mbr.bin"];

export const bootSector = () => bootSectors.find(existsSync) ?? "";

const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** What is not here, and Debian's packages of it. @returns {(readonly [string, string])[]} */
const missing = () => [
  ...Object.entries(programs).filter(([program]) => !onPath(program)),
  ...(onPath("syslinux") && !bootSector() ? [/** @type {const} */ (["mbr.bin", "syslinux"])] : []),
  ...(existsSync(keyring) ? [] : [/** @type {const} */ (["Debian's keys", "debian-archive-keyring"])]),
];

/** Debian's packages that are missing here. */
export const missingPackages = () => [...new Set(missing().map(([, name]) => name))];

/**
 * Why no image can be made here and what helps, in one line; nothing if one can.
 * @returns {string | undefined}
 */
export const whyNot = () => {
  if (process.platform !== "linux" || process.arch !== "x64") return "Images are made on x86-64 Linux";
  const names = missing().map(([name]) => name);
  if (names.length === 0) return undefined;
  return `Not installed here: ${names.join(", ")}. On Debian and Ubuntu: apt-get install -y ${missingPackages().join(" ")}`;
};
