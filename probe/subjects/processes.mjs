// The os driver: jobs are processes of the host, each build's with a user of its own.
import { refusedCall, syscall } from "../tool/syscalls.mjs";

const denied = /Permission denied/;
const notPermitted = /Operation not permitted/;
const nothing = /nothing found/;

/** @param {string} id @param {string} tries @param {import("../probes.mjs").Script} script @param {RegExp} sees @returns {import("../probes.mjs").Attack} */
const attack = (id, tries, script, sees) => ({ id, tries, script, sees, on: ["os"] });
/** @param {string} id @param {string} tries @param {import("../probes.mjs").Script} script @returns {import("../probes.mjs").Attack} */
const open = (id, tries, script) => ({
  ...attack(id, tries, script, /it succeeded/),
  open: true,
  shown: "it succeeded",
});
/** @param {string} host @param {number} port */
const dial = (host, port) => `timeout 5 bash -c 'cat < /dev/tcp/${host}/${port}'`;
/** Ids that no installation has. */
const sleeper = 98767;

/** @type {import("../probes.mjs").Subject} */
export const processes = {
  title: "Processes of the os driver",
  probes: [
    attack("os-root", "Runs as root", '[ "$(id -u)" -eq 0 ] || nothing', nothing),
    attack("os-groups", "Belongs to a group of the runner", '[ "$(id -G)" != "$(id -u)" ] || nothing', nothing),
    attack("os-capabilities", "Has a capability", "grep CapEff /proc/self/status; false", /CapEff:\s+0{16}\b/),
    attack("os-setuid", "Becomes root with `setuid`", syscall("setuid", 0), refusedCall),
    attack("os-chown", "Gives a file to root", ": > file; chown 0 file", notPermitted),
    attack("os-device", "Makes a device of the host's disk", "mknod device b 8 0", notPermitted),
    attack("os-mount", "Mounts a file system", "mkdir -p m; mount -t tmpfs x m", /superuser|denied|not permitted/),
    attack("os-configuration", "Writes to `/etc`", ": > /etc/service-ci-probe", denied),
    attack(
      "os-path",
      "Gets the `PATH` of the runner",
      '[ "$PATH" != /usr/local/bin:/usr/bin:/bin ] || nothing',
      nothing,
    ),
    attack(
      "os-home",
      "Gets the home of the runner",
      ({ folders }) => `case $HOME in ${folders.runner}/*) nothing;; esac`,
      nothing,
    ),
    attack("os-data", "Lists the data folder of the installation", ({ folders }) => `ls ${folders.data}`, denied),
    attack(
      "os-settings",
      "Reads the secrets of the installation",
      ({ folders }) => `cat ${folders.data}/settings.json`,
      denied,
    ),
    attack("os-builds", "Lists the folders of all builds", ({ folders }) => `ls ${folders.runner}`, denied),
    attack(
      "os-runner-environment",
      "Reads the environment of the runner",
      ({ runner }) => `cat /proc/${runner}/environ`,
      denied,
    ),
    attack(
      "os-runner-memory",
      "Reads the memory of the runner",
      ({ runner }) => `head -c 1 /proc/${runner}/mem`,
      denied,
    ),
    attack("os-runner-files", "Lists the open files of the runner", ({ runner }) => `ls /proc/${runner}/fd`, denied),
    {
      ...attack(
        "os-runner-trace",
        "Traces the runner with `ptrace`",
        ({ runner }) => syscall("ptrace", 16, runner, 0, 0),
        refusedCall,
      ),
    },
    attack("os-runner-kill", "Kills the runner", ({ runner }) => `kill -9 ${runner}`, notPermitted),
    attack(
      "os-engine",
      "Finds a container engine's socket that it may use",
      "find /run/docker.sock /run/containerd/containerd.sock -writable 2> /dev/null | grep . || nothing",
      nothing,
    ),
    attack(
      "os-build-files",
      "Reads a file of another build",
      ({ neighbour }) => `cat ${neighbour.address}/${neighbour.mark}`,
      denied,
    ),
    attack(
      "os-build-write",
      "Writes into the folder of another build",
      ({ neighbour }) => `: > ${neighbour.address}/file`,
      denied,
    ),
    attack(
      "os-build-script",
      "Reads the script of another build",
      ({ neighbour }) => `cat ${neighbour.address}/../script`,
      denied,
    ),
    attack(
      "os-build-environment",
      "Reads the environment of another build",
      ({ neighbour }) => `cat /proc/${neighbour.hostname}/environ`,
      denied,
    ),
    attack(
      "os-build-kill",
      "Kills a process of another build",
      ({ neighbour }) => `kill -9 ${neighbour.hostname}`,
      notPermitted,
    ),
    {
      ...attack(
        "os-left",
        "Leaves a process behind that outlives its build",
        `grep -l '${`${sleeper}`.replace(/.$/, "[$&]")}' /proc/[0-9]*/cmdline || nothing`,
        nothing,
      ),
      earlier: [`(cd / && HOME=/ exec setsid sleep ${sleeper}) < /dev/null > /dev/null 2>&1 &`],
    },
    open("os-open-runner", "Sees the runner among the processes", ({ runner }) => `cat /proc/${runner}/cmdline`),
    open(
      "os-open-build",
      "Sees the processes of another build",
      ({ neighbour }) => `cat /proc/${neighbour.hostname}/cmdline`,
    ),
    open("os-open-files", "Reads a file of the host that everyone may read", "head -n 1 /etc/passwd"),
    open("os-open-setuid", "Could get rights from a setuid program", "grep -E 'NoNewPrivs:.*0' /proc/self/status"),
    open("os-open-private", "Connects to a server at a private address", ({ privateAddress, port }) =>
      dial(privateAddress, port),
    ),
    open("os-open-loopback", "Connects to a server on the host's loopback interface", ({ hostPort }) =>
      dial("127.0.0.1", hostPort),
    ),
  ],
};
