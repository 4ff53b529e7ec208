/** Limits of a build, not of its environment. @type {import("../probes.mjs").Place[]} */
const dockerAndOs = ["docker", "os"];
const forever = "while :; do sleep 1; done";

/** @type {import("../probes.mjs").Subject} */
export const limits = {
  title: "Resources",
  probes: [
    {
      id: "fork-bomb",
      tries: "Starts processes without end",
      ending: "failed",
      commands: ["set +x", "while :; do sleep 1000 & done"],
      sees: /can't fork: Resource temporarily unavailable/,
    },
    {
      id: "memory",
      tries: "Uses all memory",
      ending: "failed",
      commands: ["tail /dev/zero"],
      sees: /Killed: out of memory \(limit 128 MiB\); raise DOCKER_MEMORY or use less/,
    },
    {
      id: "shared-memory",
      tries: "Fills `/dev/shm`",
      script: "dd if=/dev/zero of=/dev/shm/file bs=1M count=1024",
      sees: /No space left on device/,
      lift: false,
    },
    {
      id: "disk-workspace",
      tries: "Fills the disk through its workspace",
      ending: "failed",
      commands: ["dd if=/dev/zero of=file bs=1M count=200", forever],
      sees: /Killed: out of disk \(limit 128 MiB\); raise DOCKER_DISK or write less/,
    },
    {
      id: "disk-root",
      tries: "Fills the disk through the root of its container",
      ending: "failed",
      commands: ["dd if=/dev/zero of=/root/file bs=1M count=200", forever],
      sees: /Killed: out of disk \(limit 128 MiB\); raise DOCKER_DISK or write less/,
    },
    {
      id: "files",
      tries: "Fills the disk's table of files with empty ones",
      ending: "failed",
      commands: ["set +x", "i=0; while [ $i -lt 8000 ]; do : > $i; i=$((i+1)); done", forever],
      sees: /Killed: too many files \(limit 5000\); raise DOCKER_FILES or make fewer/,
    },
    {
      id: "output-flood",
      on: dockerAndOs,
      tries: "Prints lines without end",
      ending: "passed",
      commands: ["yes | head -c 40000000"],
      sees: /-- output truncated after \d+ bytes --/,
      shown: "-- output truncated --",
    },
    {
      id: "output-line",
      on: dockerAndOs,
      tries: "Prints one line of 40 MB",
      ending: "passed",
      commands: ["head -c 40000000 /dev/zero | tr '\\0' x"],
      sees: /-- output truncated after \d+ bytes --/,
      shown: "-- output truncated --",
    },
    {
      id: "processors",
      tries: "Keeps more processors busy than it may use",
      ending: "killed",
      commands: ["for n in 1 2 3 4 5 6 7 8; do (while :; do :; done) & done", "echo busy", "wait"],
      kill: /^busy$/m,
      sees: /Build killed/,
    },
    {
      id: "signals",
      on: dockerAndOs,
      tries: "Ignores all signals to outlive the end of its build",
      ending: "killed",
      commands: ["trap '' HUP INT QUIT TERM", "echo deaf", forever],
      kill: /^deaf$/m,
      sees: /Build killed/,
    },
    {
      id: "background",
      tries: "Leaves a process behind that outlives its job",
      before: ["setsid sleep 98765 < /dev/null > /dev/null 2>&1 &"],
      script: "grep -l '9876[5]' /proc/[0-9]*/cmdline || nothing",
      sees: /nothing found/,
      lift: false,
    },
  ],
};
