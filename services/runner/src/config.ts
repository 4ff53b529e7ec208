import { randomBytes } from "node:crypto";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { identityWith, logLevel, natsUrl, readSettings, type Settings, subjectPrefix } from "@ci/kit/process/config";
import type { IdentityConfig } from "@ci/kit/process/identity-config";
import { timer } from "@ci/kit/process/setting-types";
import { Driver_Type } from "@ci/proto/builds/v1/queue";
import { type DockerConfig, dockerConfig } from "./drivers/docker/docker-config.js";
import { type EgressConfig, egressConfig } from "./drivers/egress/egress-config.js";

export interface QemuConfig {
  /** `auto` means KVM if a trial machine boots with it, otherwise emulation. */
  acceleration: "kvm" | "tcg" | "auto";
  cpus: number;
  memoryBytes: number;
  diskBytes: number;
  /** False cuts machines off from every network. */
  outbound: boolean;
  /** The first user id for QEMU if the runner is root; each machine has its own. */
  firstUid: number;
  imagesDir: string;
  cacheBytes: number;
  virtualBytes: number;
  keepLimitMs: number;
  warm: WarmConfig;
}

interface WarmConfig {
  perImage: number;
  /** Not counting the machines of running builds. */
  maxMachines: number;
  /** Machines of an image end when no build has used it for this long. */
  keepMs: number;
}

/** User ids, both included. */
export interface UidRange {
  first: number;
  last: number;
}

interface OsConfig {
  /** The PATH of jobs. */
  path: string;
  /** The users of jobs if the runner is root; each build has its own. */
  uids: UidRange;
}

export interface DriversConfig {
  /** Where QEMU and iptables are found. */
  path: string;
  os: OsConfig;
  egress: EgressConfig;
  docker: DockerConfig;
  qemu: QemuConfig;
}

export interface Config extends DriversConfig {
  drivers: readonly Driver_Type[];
  builds: number;
  /** How long running builds may take to finish during a drain; 0 gives them back at once. */
  drainMs: number;
  dir: string;
  /** The runner claims no builds if a disk has less free than this. */
  freeSpaceBytes: number;
  /** Limits the files of one source, which the runner itself fetches for an environment without git. */
  cloneBytes: number;
  /** What the runner keeps of caches. */
  cacheCopiesBytes: number;
  /** Marks everything this runner makes, so that it is found after a crash. Must be unique per process. */
  name: string;
  id: string;
  buildsAddr: string;
  imagesAddr: string;
  natsUrl: string;
  subjectPrefix: string;
  adminListen: string;
  logLevel: string;
  identity: IdentityConfig;
}

function atLeastOne(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`must be a whole number above 0, not "${text}"`);
  return Number(text);
}

function warm(s: Settings, builds: number): WarmConfig {
  const perImage = s.int(
    "RUNNER_WARM_VMS",
    "booted virtual machines that wait for builds, per recently used image; at most `RUNNER_BUILDS` times as many in total",
    0,
    { effect: "further machines boot when a build needs them" },
  );
  return {
    perImage,
    maxMachines: builds * perImage,
    keepMs: s.duration("RUNNER_WARM_FOR", "how long machines wait after the last build with their image", "30min"),
  };
}

const qemu = (s: Settings, dir: string, builds: number): QemuConfig => ({
  acceleration: s.oneOf(
    "QEMU_ACCEL",
    "`kvm`, `tcg` (emulation, slow), or `auto`: KVM if a machine boots with it when the runner starts",
    ["kvm", "tcg", "auto"],
    "auto",
  ),
  cpus: s.parsed("QEMU_CPUS", "processors of one virtual machine", "1", atLeastOne, {
    effect: "the machine has no more",
  }),
  memoryBytes: s.size("QEMU_MEMORY", "memory of one virtual machine", "2GiB", {
    min: "1MiB",
    effect: "the machine has no more",
  }),
  diskBytes: s.size("QEMU_DISK", "what one virtual machine may write to its disk", "10GiB", {
    min: "1MiB",
    refusal: "Killed: out of disk (limit N); raise QEMU_DISK or write less",
  }),
  outbound:
    s.oneOf(
      "QEMU_NETWORK",
      "`none`, or `open`: virtual machines reach what `JOB_EGRESS` lets jobs reach. Without a packet filter that is whatever the runner's host reaches, **the host itself included**",
      ["none", "open"],
      "none",
    ) === "open",
  firstUid: s.parsed(
    "QEMU_UID",
    "first user id for QEMU if the runner is root; each machine has its own",
    "60800",
    atLeastOne,
  ),
  imagesDir: s.str(
    "RUNNER_IMAGES_DIR",
    "images on this host: base images below `_base/qemu/x86_64/`, and a cache of others",
    join(dir, ".images"),
  ),
  cacheBytes: s.size("RUNNER_IMAGES_CACHE", "size of the image cache on this host", "40GiB", {
    effect: "the image that was not used for the longest time is deleted",
  }),
  virtualBytes: s.size("IMAGE_VIRTUAL_LIMIT", "largest disk that an image may hold", "64GiB"),
  keepLimitMs: s.duration(
    "QEMU_KEEP_LIMIT",
    "longest time that the machine of a failed build is kept, whatever `keep_on_failure` says",
    "60min",
    { ...timer, effect: "the machine is removed" },
  ),
  warm: warm(s, builds),
});

const defaultPath = "/usr/local/bin:/usr/bin:/bin";

/** An environment is removed while the next build runs, so a slot needs two users. */
const uidRange = (builds: number) => (text: string) => {
  const [, first, last] = /^([1-9]\d{0,8})-([1-9]\d{0,8})$/.exec(text)?.map(Number) ?? [];
  if (first === undefined || last === undefined || last < first)
    throw new Error(`must be two user ids like 60600-60799, not "${text}"`);
  if (last - first + 1 < 2 * builds) throw new Error(`must have two user ids for each of RUNNER_BUILDS, not "${text}"`);
  return { first, last };
};

const osConfig = (s: Settings, builds: number): OsConfig => ({
  path: s.str("OS_PATH", "the `PATH` of jobs of the os driver", defaultPath),
  uids: s.parsed(
    "OS_UIDS",
    "user ids of jobs of the os driver if the runner is root; each build has its own",
    "60600-60799",
    uidRange(builds),
  ),
});

/** The default name contains the subject prefix, so that two installations on a host stay apart. */
function identity(s: Settings, prefix: string): Pick<Config, "name" | "id"> {
  const name = s.str(
    "RUNNER_NAME",
    "marks everything the runner makes, so that it is found after a crash; unique per process",
    `${prefix}-${hostname()}`,
  );
  return {
    name,
    id: s.str("RUNNER_ID", "name of the process in its claims", `${name}-${randomBytes(4).toString("hex")}`),
  };
}

/** How much of sources and caches a runner handles. */
export const contentLimits = (s: Settings): Pick<Config, "cloneBytes" | "cacheCopiesBytes"> => ({
  cloneBytes: s.size(
    "CLONE_LIMIT",
    "files of one source that the runner itself fetches, for an environment without git; each counts 1 KiB and its path more",
    "1GiB",
    { min: "1MiB", refusal: "The repository could not be fetched: it is larger than N, the limit of CLONE_LIMIT" },
  ),
  cacheCopiesBytes: s.size(
    "RUNNER_CACHE_COPIES",
    "size of the copies of caches on this host; with a copy, a hit needs no download",
    "10GiB",
    { effect: "the copy that was not used for the longest time is deleted" },
  ),
});

interface Serving extends Pick<Config, "dir" | "builds"> {
  readonly served: readonly Driver_Type[] | undefined;
}

/** What the drivers use and allow. */
export const driversConfig = (s: Settings, { served, dir, builds }: Serving): DriversConfig => ({
  path: s.str("PATH", "where programs are found: `qemu-img`, QEMU and iptables", defaultPath),
  egress: egressConfig(s),
  os: osConfig(s, served?.includes("os") ? builds : 0),
  docker: dockerConfig(s),
  qemu: qemu(s, dir, builds),
});

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => {
    const prefix = subjectPrefix(s);
    const dir = s.str("RUNNER_DIR", "holds the folders of running builds", join(tmpdir(), "service-ci-runner"));
    const served = s.someOf(
      "RUNNER_DRIVERS",
      "driver types that this runner serves: `docker`, `qemu`, `os`, separated by commas",
      Object.values(Driver_Type),
    );
    const builds = s.parsed("RUNNER_BUILDS", "builds that run at the same time", "1", atLeastOne, {
      effect: "further builds stay in the queue",
    });
    const peers = {
      buildsAddr: s.peer("BUILDS_ADDR", "host:port of the builds service"),
      imagesAddr: served?.includes("qemu")
        ? s.peer("IMAGES_ADDR", "host:port of the images service; the runner needs it for virtual machines only")
        : "",
    };
    return {
      drivers: served,
      builds,
      drainMs: s.duration(
        "RUNNER_DRAIN",
        "how long running builds may take to finish when the runner stops; it gives the rest back",
        "10min",
        { max: timer.max, effect: "the builds are given back and start again elsewhere" },
      ),
      dir,
      freeSpaceBytes: s.size(
        "RUNNER_FREE_SPACE",
        "free space required on the disks of `RUNNER_DIR`, of images and of a local engine; with less the runner claims no builds",
        "1GiB",
        { effect: "the runner claims no builds" },
      ),
      ...contentLimits(s),
      ...identity(s, prefix),
      ...driversConfig(s, { served, dir, builds }),
      ...peers,
      natsUrl: natsUrl(s),
      subjectPrefix: prefix,
      adminListen: s.listen(
        "ADMIN_LISTEN",
        "host:port where the service serves `/healthz`, `/readyz` and `/metrics`",
        "127.0.0.1:0",
      ),
      logLevel: logLevel(s),
      identity: identityWith(s, "runner", peers),
    };
  });
