import { refusedCall, syscall } from "../tool/syscalls.mjs";

const refused = /Operation not permitted|Permission denied|permission denied|not permitted/;
const at = "mkdir -p at;";

/** @param {string} id @param {string} tries @param {string} script @returns {import("../probes.mjs").Attack} */
const attack = (id, tries, script) => ({ id, tries, script, sees: refused });
/** @param {string} name @param {string} type @param {string} numbers */
const device = (name, type, numbers) => `mknod ${name} ${type} ${numbers}`;

/** @type {import("../probes.mjs").Subject} */
export const mounts = {
  title: "Mounts and devices",
  probes: [
    attack("mount-tmpfs", "Mounts a file system in memory", `${at} mount -t tmpfs none at`),
    attack("mount-proc", "Mounts a `/proc` of its own, without masked files", `${at} mount -t proc none at`),
    attack("mount-sysfs", "Mounts a writable `/sys`", `${at} mount -t sysfs none at`),
    attack("mount-bind", "Mounts a folder over another one", `${at} mount -o bind /etc at`),
    {
      ...attack(
        "mount-cgroup",
        "Mounts a cgroup to run a program on the host when it ends",
        `${at} mount -t cgroup -o memory none at`,
      ),
      lift: false,
    },
    { ...attack("remount-proc", "Makes `/proc/sys` writable", "mount -o remount,rw,bind /proc/sys"), lift: false },
    attack("remount-sys", "Makes `/sys` writable", "mount -o remount,rw /sys"),
    { ...attack("unmount", "Unmounts the mask of `/proc/timer_list`", "umount /proc/timer_list"), lift: false },
    {
      id: "pivot-root",
      tries: "Changes the root with `pivot_root`",
      script: syscall("pivot_root", "/none", "/none"),
      sees: refusedCall,
    },
    { id: "fsopen", tries: "Mounts with `fsopen`", script: syscall("fsopen", 0, 0), sees: refusedCall },
    {
      id: "open-tree",
      tries: "Copies a mount with `open_tree`",
      script: syscall("open_tree", -100, "/", 1),
      sees: refusedCall,
    },
    {
      id: "move-mount",
      tries: "Moves a mount with `move_mount`",
      script: syscall("move_mount", -1, 0, -1, 0, 0),
      sees: refusedCall,
    },
    {
      id: "mount-setattr",
      tries: "Changes a mount with `mount_setattr`",
      script: syscall("mount_setattr", -1, 0, 0, 0, 0),
      sees: refusedCall,
    },
    attack(
      "mknod-disk",
      "Makes a device of the host's disk",
      `major=$(awk '$4 ~ /^(vda|sda|nvme0n1)$/ { print $1, $2; found = 1; exit } END { if (!found) print 8, 0 }' /proc/partitions); ${device("disk", "b", "$major")}`,
    ),
    attack("mknod-mem", "Makes a device of the host's memory", device("mem", "c", "1 1")),
    attack("mknod-kmsg", "Makes a device of the kernel's messages", device("kmsg", "c", "1 11")),
    {
      id: "devices",
      tries: "Finds a disk, memory, `/dev/kvm` or `/dev/fuse` in `/dev`",
      script:
        "ls -d /dev/mem /dev/kmsg /dev/port /dev/kvm /dev/fuse /dev/[svh]d[a-z] /dev/nvme* /dev/net 2> /dev/null | grep . || nothing",
      sees: /nothing found/,
    },
  ],
};
