import { refusedCall, syscall } from "../tool/syscalls.mjs";

const newUserNamespace = 0x10000000;
const childSignal = 17;

/** @param {string} id @param {string} tries @param {Parameters<typeof syscall>} call @returns {import("../probes.mjs").Attack} */
const call = (id, tries, ...call) => ({ id, tries, script: syscall(...call), sees: refusedCall });
/** What a kernel may lack altogether. @param {Parameters<typeof call>} args @returns {import("../probes.mjs").Attack} */
const optional = (...args) => ({ ...call(...args), lift: false });
const refused = /Operation not permitted|Permission denied/;

/** @type {import("../probes.mjs").Subject} */
export const kernel = {
  title: "The kernel",
  probes: [
    {
      id: "ptrace",
      tries: "Reads the environment of another user's process, which needs the rights of `ptrace`",
      script: `su nobody -s /bin/sh -c "exec sleep 60" & sleep 0.5; head -c 64 /proc/$(pidof sleep | cut -d " " -f 1)/environ`,
      sees: refused,
    },
    call("unshare", "Makes a user namespace with `unshare`", "unshare", newUserNamespace),
    call("clone", "Makes a user namespace with `clone`", "clone", newUserNamespace + childSignal, 0, 0, 0, 0),
    {
      id: "unshare-mount",
      tries: "Makes a mount namespace",
      script: "unshare -m true",
      sees: refused,
    },
    {
      id: "unshare-net",
      tries: "Makes a network namespace",
      script: "unshare -n true",
      sees: refused,
    },
    call("setns", "Enters another namespace with `setns`", "setns", -1, 0),
    call("keyctl", "Reads the kernel's keyrings with `keyctl`", "keyctl", 0, -3, 0),
    call("add-key", "Adds a key to the kernel's keyrings", "add_key", "user", "probe", "x", 1, -3),
    call("request-key", "Asks the host for a key", "request_key", "user", "probe", 0, -3),
    call("bpf", "Loads a program into the kernel with `bpf`", "bpf", 5, 0, 0),
    call("userfaultfd", "Handles page faults with `userfaultfd`", "userfaultfd", 1),
    call("io-uring", "Opens an `io_uring`", "io_uring_setup", 1, 0),
    call("perf", "Observes the machine with `perf_event_open`", "perf_event_open", 0, 0, -1, -1, 0),
    call("open-by-handle", "Opens files of the host by handle", "open_by_handle_at", -100, 0, 0),
    call("fanotify", "Watches all files of a disk with `fanotify`", "fanotify_init", 0, 0),
    optional("kcmp", "Compares kernel objects of processes with `kcmp`", "kcmp", 1, 1, 0, 0, 0),
    call("quotactl", "Changes disk quotas", "quotactl", 0, 0, 0, 0),
    call("acct", "Turns on process accounting", "acct", "/none"),
    call("swapon", "Adds swap space", "swapon", "/none", 0),
    call("swapoff", "Removes swap space", "swapoff", "/none"),
    call("reboot", "Reboots the machine", "reboot", 0, 0, 0, 0),
    optional("kexec", "Boots another kernel", "kexec_load", 0, 1000, 0, 0),
    optional("init-module", "Loads a kernel module", "init_module", 0, 0, 0),
    optional("finit-module", "Loads a kernel module from a file", "finit_module", -1, 0, 0),
    optional("delete-module", "Removes a kernel module", "delete_module", 0, 0),
    call("syslog", "Reads the kernel's messages", "syslog", 3, 0, 0),
    { id: "dmesg", tries: "Prints the kernel's messages with `dmesg`", script: "dmesg", sees: refused },
    call("clock", "Sets the clock with `clock_settime`", "clock_settime", 0, 0),
    {
      id: "date",
      tries: "Sets the date",
      script: "date -s 2000-01-01; [ $(date +%Y) = 2000 ]",
      sees: refused,
      lift: false,
    },
    { id: "hostname", tries: "Changes the name of the host", script: "hostname probe", sees: refused },
    call("vsock", "Speaks to the hypervisor of the host", "socket", 40, 1, 0),
  ],
};
