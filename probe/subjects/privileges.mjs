import { program, refusedCall, syscall } from "../tool/syscalls.mjs";

/** The capabilities that jobs have: CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID and NET_BIND_SERVICE. */
const allowed = "00000000000004fb";
const capabilities = (/** @type {string} */ set) =>
  `grep ${set} /proc/self/status; ! grep -q "${set}.*${allowed}" /proc/self/status`;
const asNobody = (/** @type {string} */ command) => `su nobody -s /bin/sh -c "${command}"`;
/** Version 3 of the call, for the process itself. */
const capabilityHeader = Buffer.from("2205082000000000", "hex");

/** @type {import("../probes.mjs").Subject} */
export const privileges = {
  title: "Privileges",
  probes: [
    {
      id: "capabilities",
      tries: "Has capabilities beyond the eight of ordinary jobs",
      script: capabilities("CapEff"),
      sees: /CapEff:\s*00000000000004fb/,
    },
    {
      id: "capabilities-bound",
      tries: "Could get more capabilities from a program",
      script: capabilities("CapBnd"),
      sees: /CapBnd:\s*00000000000004fb/,
    },
    {
      id: "capset",
      tries: "Gives itself all capabilities with `capset`",
      script: syscall("capset", capabilityHeader, Buffer.alloc(24, 0xff)),
      sees: refusedCall,
      lift: false,
    },
    {
      id: "file-capabilities",
      tries: "Gives a file the capabilities of an administrator",
      script: `touch file; ${syscall("setxattr", "file", "security.capability", Buffer.from(`01000002${"ff".repeat(16)}`, "hex"), 20, 0)}`,
      sees: refusedCall,
    },
    {
      id: "setuid",
      tries: "Becomes root from an unprivileged user with a setuid program",
      script: `${program("setuid", 0)}; chmod 4755 call; ${asNobody("./call")}; refusal $?`,
      sees: refusedCall,
    },
    {
      id: "new-privileges",
      tries: "Runs without the flag that stops new privileges",
      script: "grep NoNewPrivs /proc/self/status; grep -q 'NoNewPrivs.*0' /proc/self/status",
      sees: /NoNewPrivs:\s*1/,
    },
    {
      id: "seccomp",
      tries: "Runs without a filter of system calls",
      script: "grep Seccomp: /proc/self/status; grep -q 'Seccomp:.*0' /proc/self/status",
      sees: /Seccomp:\s*2/,
    },
    {
      id: "chroot",
      tries: "Changes the root folder with `chroot`",
      script: "chroot / /bin/true",
      sees: /Operation not permitted/,
    },
    {
      id: "priority",
      tries: "Takes precedence over all other processes",
      script: syscall("setpriority", 0, 0, -20),
      sees: refusedCall,
    },
    {
      id: "oom-score",
      tries: "Exempts itself from being killed when memory runs out",
      script: "echo -1000 > /proc/self/oom_score_adj",
      sees: /Permission denied/,
      lift: false,
    },
  ],
};
