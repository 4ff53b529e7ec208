import { randomBytes } from "node:crypto";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { logLevel, natsUrl, readSettings, type Settings, type TlsFiles, tlsFiles } from "@ci/kit/process/config";
import { timer } from "@ci/kit/process/setting-types";
import { Driver_Type } from "@ci/proto/builds/v1/queue";
import { parseCapabilities } from "./drivers/docker/capabilities.js";

export interface DockerConfig {
  host: string;
  certPath?: string;
  cpus: number;
  memoryBytes: number;
  pids: number;
  capabilities: readonly string[];
}

export interface QemuConfig {
  /** `auto` means KVM if a trial machine boots with it, otherwise emulation. */
  acceleration: "kvm" | "tcg" | "auto";
  cpus: number;
  memoryBytes: number;
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

export interface WarmConfig {
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

export interface OsConfig {
  /** The PATH of jobs. */
  path: string;
  /** The users of jobs if the runner is root; each build has its own. */
  uids: UidRange;
}

export interface Config {
  drivers: readonly Driver_Type[];
  builds: number;
  /** How long running builds may take to finish during a drain; 0 gives them back at once. */
  drainMs: number;
  dir: string;
  /** The runner claims no builds if a disk has less free than this. */
  freeSpaceBytes: number;
  /** Marks everything this runner makes, so that it is found after a crash. Must be unique per process. */
  name: string;
  id: string;
  /** Where QEMU is found. */
  path: string;
  os: OsConfig;
  docker: DockerConfig;
  qemu: QemuConfig;
  buildsAddr: string;
  imagesAddr: string;
  namespacesAddr: string;
  natsUrl: string;
  subjectPrefix: string;
  adminListen: string;
  logLevel: string;
  tls?: TlsFiles;
}

function atLeastOne(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`must be a whole number above 0, not "${text}"`);
  return Number(text);
}

function cpuCount(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) === 0) throw new Error(`must be a number above 0, not "${text}"`);
  return Number(text);
}

function engineHost(text: string): string {
  const known =
    /^(?:(?:tcp|https?):\/\/)?[^/]+\/?$/.test(text) && URL.canParse(text.replace(/^(?:\w+:\/\/)?/, "http://"));
  if (!known && !text.startsWith("unix:///"))
    throw new Error(`must be unix:///path, tcp://host:port or https://host:port, not "${text}"`);
  return text;
}

const docker = (s: Settings): DockerConfig => ({
  host: s.parsed(
    "DOCKER_HOST",
    "the engine: `unix:///path`, `tcp://host:port` or `https://host:port`",
    "unix:///var/run/docker.sock",
    engineHost,
  ),
  certPath: s.bool("DOCKER_TLS_VERIFY", "whether the engine asks for certificates", false)
    ? s.str("DOCKER_CERT_PATH", "folder with ca.pem, cert.pem and key.pem; required with `DOCKER_TLS_VERIFY`")
    : undefined,
  cpus: s.parsed("DOCKER_CPUS", "processors of one container", "2", cpuCount),
  memoryBytes: s.size("DOCKER_MEMORY", "memory of one container", "2GiB", { min: "6MiB" }),
  pids: s.int("DOCKER_PIDS", "processes in one container", 1_024, { min: "1" }),
  capabilities: s.parsed("DOCKER_CAPABILITIES", "capabilities to add to a container", "", parseCapabilities),
});

function warm(s: Settings, builds: number): WarmConfig {
  const perImage = s.int(
    "RUNNER_WARM_VMS",
    "booted virtual machines that wait for builds, per recently used image; at most `RUNNER_BUILDS` times as many in total",
    0,
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
  cpus: s.parsed("QEMU_CPUS", "processors of one virtual machine", "1", atLeastOne),
  memoryBytes: s.size("QEMU_MEMORY", "memory of one virtual machine", "2GiB", { min: "1MiB" }),
  outbound:
    s.oneOf(
      "QEMU_NETWORK",
      "`none`, or `open`: virtual machines reach whatever the runner's host does, **the host itself included**",
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
  cacheBytes: s.size("RUNNER_IMAGES_CACHE", "size of the image cache on this host", "40GiB"),
  virtualBytes: s.size("IMAGE_VIRTUAL_LIMIT", "largest disk that an image may hold", "64GiB"),
  keepLimitMs: s.duration(
    "QEMU_KEEP_LIMIT",
    "longest time that the machine of a failed build is kept, whatever `keep_on_failure` says",
    "60min",
    timer,
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
function identity(s: Settings, subjectPrefix: string): Pick<Config, "name" | "id"> {
  const name = s.str(
    "RUNNER_NAME",
    "marks everything the runner makes, so that it is found after a crash; unique per process",
    `${subjectPrefix}-${hostname()}`,
  );
  return {
    name,
    id: s.str("RUNNER_ID", "name of the process in its claims", `${name}-${randomBytes(4).toString("hex")}`),
  };
}

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => {
    const subjectPrefix = s.str("SUBJECT_PREFIX", "first part of the names of all NATS subjects", "ci");
    const dir = s.str("RUNNER_DIR", "holds the folders of running builds", join(tmpdir(), "service-ci-runner"));
    const served = s.someOf(
      "RUNNER_DRIVERS",
      "driver types that this runner serves: `docker`, `qemu`, `os`, separated by commas",
      Object.values(Driver_Type),
    );
    const builds = s.parsed("RUNNER_BUILDS", "builds that run at the same time", "1", atLeastOne);
    return {
      drivers: served,
      builds,
      drainMs: s.duration(
        "RUNNER_DRAIN",
        "how long running builds may take to finish when the runner stops; it gives the rest back",
        "10min",
        { max: timer.max },
      ),
      dir,
      freeSpaceBytes: s.size(
        "RUNNER_FREE_SPACE",
        "free space required on the disks of `RUNNER_DIR`, of images and of a local engine; with less the runner claims no builds",
        "1GiB",
      ),
      ...identity(s, subjectPrefix),
      path: s.str("PATH", "where programs are found: `qemu-img` and QEMU", defaultPath),
      os: osConfig(s, served?.includes("os") ? builds : 0),
      docker: docker(s),
      qemu: qemu(s, dir, builds),
      buildsAddr: s.peer("BUILDS_ADDR", "host:port of the builds service"),
      imagesAddr: served?.includes("qemu")
        ? s.peer("IMAGES_ADDR", "host:port of the images service; the runner needs it for virtual machines only")
        : "",
      namespacesAddr: s.peer(
        "NAMESPACES_ADDR",
        "host:port of the namespaces service; every address of the host is a replica",
      ),
      natsUrl: natsUrl(s),
      subjectPrefix,
      adminListen: s.listen(
        "ADMIN_LISTEN",
        "host:port where the service serves `/healthz`, `/readyz` and `/metrics`",
        "127.0.0.1:0",
      ),
      logLevel: logLevel(s),
      tls: tlsFiles(s),
    };
  });
