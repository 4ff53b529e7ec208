import { callsOf, ordinaryCalls } from "./system-calls.js";

/** What an engine reports about itself. */
interface EngineFacts {
  readonly ServerVersion?: string;
  readonly Architecture?: string;
  readonly SecurityOptions?: readonly string[] | null;
}

/** Docker 25 began to forbid io_uring, and 23 sockets to the hypervisor. Other engines have versions below 17. */
const oldVersions = { first: 17, last: 24 };
const supported = ["x86_64", "aarch64"];
const newNamespaces = 0x7e020000;
const hypervisorSockets = 40;
const notImplemented = 38;
/** The execution domains of ordinary programs. The last value only queries the current one. */
const personalities = [0, 0x8, 0x20000, 0x20008, 0xffffffff];

interface Rule {
  readonly names: readonly string[];
  readonly [more: string]: unknown;
}

const allow = (names: readonly string[], more: object = {}): Rule => ({ names, action: "SCMP_ACT_ALLOW", ...more });
const argument = (value: number, op: string, more: object = {}) => ({ args: [{ index: 0, value, op, ...more }] });
const unlessAdmin = { excludes: { caps: ["CAP_SYS_ADMIN"] } };

const profile = {
  defaultAction: "SCMP_ACT_ERRNO",
  archMap: [
    { architecture: "SCMP_ARCH_X86_64", subArchitectures: ["SCMP_ARCH_X86", "SCMP_ARCH_X32"] },
    { architecture: "SCMP_ARCH_AARCH64", subArchitectures: ["SCMP_ARCH_ARM"] },
  ],
  syscalls: [
    allow(ordinaryCalls),
    // Older kernels let a traced process escape its filter.
    allow(["ptrace", "process_vm_readv", "process_vm_writev"], { includes: { minKernel: "4.8" } }),
    allow(["clone"], { ...argument(newNamespaces, "SCMP_CMP_MASKED_EQ", { valueTwo: 0 }), ...unlessAdmin }),
    // Its flags cannot be filtered. On this error, programs fall back to `clone`.
    { names: ["clone3"], action: "SCMP_ACT_ERRNO", errnoRet: notImplemented, ...unlessAdmin },
    allow(["socket"], argument(hypervisorSockets, "SCMP_CMP_NE")),
    ...personalities.map((value) => allow(["personality"], argument(value, "SCMP_CMP_EQ"))),
    ...Object.entries(callsOf).map(([capability, names]) => allow(names, { includes: { caps: [capability] } })),
  ],
};

/**
 * Returns the seccomp profile that replaces the built-in one of an old Docker Engine. Returns undefined for other engines
 * and processors, and if the operator has chosen a profile.
 */
export function seccompFor({ ServerVersion, Architecture, SecurityOptions }: EngineFacts): string | undefined {
  const major = Number.parseInt(ServerVersion ?? "", 10);
  if (!(major >= oldVersions.first && major <= oldVersions.last)) return undefined;
  if (!supported.includes(Architecture ?? "")) return undefined;
  const builtIn = SecurityOptions?.some((option) => /^name=seccomp,profile=(default|builtin)$/.test(option));
  return builtIn ? JSON.stringify(profile) : undefined;
}
