// Writes shell text that makes one system call and says how the kernel answered.
import { architectures, programOf } from "./elf.mjs";

/** Numbers of system calls on x86-64 and ARM64. */
const numbers = /** @type {const} */ ({
  acct: [163, 89],
  add_key: [248, 217],
  bpf: [321, 280],
  capset: [126, 91],
  clock_settime: [227, 112],
  clone: [56, 220],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  finit_module: [313, 273],
  fsopen: [430, 430],
  init_module: [175, 105],
  io_uring_setup: [425, 425],
  kcmp: [312, 272],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  perf_event_open: [298, 241],
  pivot_root: [155, 41],
  ptrace: [101, 117],
  quotactl: [179, 60],
  reboot: [169, 142],
  request_key: [249, 218],
  setns: [308, 268],
  setpriority: [141, 140],
  setuid: [105, 146],
  setxattr: [188, 5],
  socket: [41, 198],
  swapoff: [168, 225],
  swapon: [167, 224],
  syslog: [103, 116],
  unshare: [272, 97],
  userfaultfd: [323, 282],
});

/** @typedef {keyof typeof numbers} Call */

/**
 * Writes a program `call` into the current folder.
 * @param {Call} name
 * @param {import("./elf.mjs").Argument[]} args
 */
export const program = (name, ...args) => {
  const arch = process.arch === "arm64" ? "arm64" : "x64";
  const bytes = programOf(architectures[arch], numbers[name][arch === "arm64" ? 1 : 0], args);
  return `echo ${bytes.toString("base64")} | base64 -d > call; chmod 755 call`;
};

/** Makes a system call. Fails if the kernel refuses it; any other error shows that the kernel would have carried it out. */
export const syscall = (/** @type {Parameters<typeof program>} */ ...call) => `${program(...call)}; ./call; refusal $?`;

/** The functions that these texts need. */
export const prelude = `refusal() {
  case $1 in
    1) echo "Operation not permitted (EPERM)"; exit 1 ;;
    13) echo "Permission denied (EACCES)"; exit 1 ;;
    38) echo "Function not implemented (ENOSYS)"; exit 1 ;;
    *) echo "the kernel accepted the call (error $1)"; exit 0 ;;
  esac
}
nothing() { echo "nothing found"; exit 1; }`;

/** What refused system calls print. */
export const refusedCall =
  /Operation not permitted \(EPERM\)|Permission denied \(EACCES\)|Function not implemented \(ENOSYS\)/;
