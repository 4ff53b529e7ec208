// The images that can be made here.

/** @typedef {{ suite: string, packages: string[] }} Recipe */

/** A system that a runner can log in to, and what a build needs to clone and to fetch. */
const packages = [
  ...["linux-image-cloud-amd64", "initramfs-tools", "systemd-sysv", "udev", "kmod", "e2fsprogs", "fdisk"],
  ...["systemd-resolved", "iproute2", "openssh-server", "openssh-sftp-server"],
  ...["ca-certificates", "curl", "git"],
];

/** By the names under which builds ask for them. @type {Readonly<Record<string, Recipe>>} */
export const recipes = {
  "debian-12": { suite: "bookworm", packages },
  "debian-13": { suite: "trixie", packages },
};
