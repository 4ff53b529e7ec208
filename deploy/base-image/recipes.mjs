// The images that `npm run image` can make.

/** @typedef {{ suite: string, packages: string[] }} Recipe */

/** A system that a runner can log in to, with the programs to clone and download. */
const packages = [
  ...["linux-image-cloud-amd64", "initramfs-tools", "systemd-sysv", "udev", "kmod", "e2fsprogs", "fdisk"],
  ...["systemd-resolved", "iproute2", "openssh-server", "openssh-sftp-server"],
  ...["ca-certificates", "curl", "git"],
];

/** By the names that builds use. @type {Readonly<Record<string, Recipe>>} */
export const recipes = {
  "debian-12": { suite: "bookworm", packages },
  "debian-13": { suite: "trixie", packages },
};
