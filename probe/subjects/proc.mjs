const refused = /Read-only file system|Permission denied|Operation not permitted|nonexistent directory|No such file/;

/** Writes back what a file contains, so that nothing changes where the write succeeds. @param {string} file */
const rewrite = (file) => `value=$(cat ${file}) && echo "$value" > ${file}`;
/** @param {string} id @param {string} tries @param {string} script @returns {import("../probes.mjs").Attack} */
const attack = (id, tries, script) => ({ id, tries, script, sees: refused });
/** What kernels may lack, or what exists only in a container. @param {Parameters<typeof attack>} args @returns {import("../probes.mjs").Attack} */
const optional = (...args) => ({ ...attack(...args), lift: false });
/** @param {string} id @param {string} tries @param {string} path */
const masked = (id, tries, path) => ({
  ...attack(id, tries, `[ -n "$(head -c 64 ${path} 2> /dev/null | tr -d '\\0')" ] || nothing`),
  sees: /nothing found/,
});

/** @type {import("../probes.mjs").Subject} */
export const proc = {
  title: "`/proc` and `/sys`",
  probes: [
    attack(
      "core-pattern",
      "Runs a program on the host when a process crashes",
      rewrite("/proc/sys/kernel/core_pattern"),
    ),
    attack("poweroff-cmd", "Replaces the program that powers off the host", rewrite("/proc/sys/kernel/poweroff_cmd")),
    attack("sysctl-vm", "Changes how the host uses memory", rewrite("/proc/sys/vm/swappiness")),
    attack("sysctl-forward", "Makes its network a router", rewrite("/proc/sys/net/ipv4/ip_forward")),
    optional("sysrq", "Sends a command to the kernel with `/proc/sysrq-trigger`", "echo h > /proc/sysrq-trigger"),
    attack(
      "irq",
      "Assigns the host's interrupts to other processors",
      'file=$(ls -d /proc/irq/default_smp_affinity); value=$(cat $file) && echo "$value" > $file',
    ),
    { ...masked("kcore", "Reads the host's memory in `/proc/kcore`", "/proc/kcore"), lift: false },
    masked("keys", "Reads keys of the kernel in `/proc/keys`", "/proc/keys"),
    masked("timer-list", "Reads processes of the host in `/proc/timer_list`", "/proc/timer_list"),
    {
      id: "firmware",
      tries: "Reads the firmware of the host in `/sys/firmware`",
      script: "ls /sys/firmware | grep . || nothing",
      sees: /nothing found/,
      lift: false,
    },
    optional(
      "cgroup-limit",
      "Raises its own limit of memory",
      "file=$(ls /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2> /dev/null | head -n 1); echo 99999999999 > $file",
    ),
    attack(
      "cgroup-new",
      "Makes a cgroup without limits",
      "cd /sys/fs/cgroup; [ -d memory ] && cd memory; mkdir probe && rmdir probe",
    ),
    optional("uevent-helper", "Runs a program on the host when a device appears", rewrite("/sys/kernel/uevent_helper")),
    optional("sys-power", "Changes the power settings of the host", rewrite("/sys/power/mem_sleep")),
    attack(
      "sys-block",
      "Changes how the host's disk works",
      "file=$(ls /sys/block/[svn]*/queue/read_ahead_kb | head -n 1); value=$(cat $file) && echo $value > $file",
    ),
  ],
};
