// Checks which programs for making an image this machine has.
import { existsSync } from "node:fs";
import { onPath } from "../local/provision/machine.mjs";

export const isRoot = process.getuid?.() === 0;

/** The programs, with Debian's packages of them. */
const programs = {
  mmdebstrap: "mmdebstrap",
  mke2fs: "e2fsprogs",
  sfdisk: "fdisk",
  mformat: "mtools",
  syslinux: "syslinux",
  "qemu-img": "qemu-utils",
  // These replace root's privileges.
  ...(isRoot ? {} : { fakeroot: "fakeroot", newuidmap: "uidmap" }),
};

/** The boot sector's program, which starts the active partition, in the folders of several distributions. */
const bootSectors = ["/usr/lib/SYSLINUX/mbr.bin", "/usr/lib/syslinux/mbr/mbr.bin", "/usr/share/syslinux/mbr.bin"];

export const bootSector = () => bootSectors.find(existsSync) ?? "";

const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** Returns missing programs, with Debian's packages of them. @returns {(readonly [string, string])[]} */
const missing = () => [
  ...Object.entries(programs).filter(([program]) => !onPath(program)),
  ...(onPath("syslinux") && !bootSector() ? [/** @type {const} */ (["mbr.bin", "syslinux"])] : []),
  ...(existsSync(keyring) ? [] : [/** @type {const} */ (["Debian's keys", "debian-archive-keyring"])]),
];

/** Returns Debian's packages that are missing here. */
export const missingPackages = () => [...new Set(missing().map(([, name]) => name))];

/**
 * Says in one line why no image can be made here and what to do. Returns undefined if one can be made.
 * @returns {string | undefined}
 */
export const whyNot = () => {
  if (process.platform !== "linux" || process.arch !== "x64") return "Images can be made only on x86-64 Linux";
  const names = missing().map(([name]) => name);
  if (names.length === 0) return undefined;
  return `Missing programs: ${names.join(", ")}. On Debian and Ubuntu: apt-get install -y ${missingPackages().join(" ")}`;
};
