import { randomBytes } from "node:crypto";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { readSettings, type Settings, type TlsFiles, tlsFiles } from "@ci/kit/process/config";

/** What a driver may be called in RUNNER_DRIVERS. */
export type DriverName = "docker" | "os" | "qemu";

/** How containers are held in check. */
export interface DockerConfig {
  /** `unix:///path`, `tcp://host:port` or `https://host:port`. */
  host: string;
  /** Folder with ca.pem, cert.pem and key.pem, when the engine asks for certificates. */
  certPath?: string;
  cpus: number;
  memoryBytes: number;
  /** How many processes one container may have. */
  pids: number;
  /** Capabilities beyond the defaults. */
  capabilities: readonly string[];
}

/** How virtual machines are made. */
export interface QemuConfig {
  /** `auto` is KVM where that proves to work, else emulation. */
  acceleration: "kvm" | "tcg" | "auto";
  cpus: number;
  memoryBytes: number;
  /** Whether machines reach what this host reaches; else they reach nothing. */
  outbound: boolean;
  /** Where the user ids begin that machines run with, one each, if the runner is root. */
  firstUid: number;
  /** Holds base images, and a cache of others. */
  imagesDir: string;
  cacheBytes: number;
  /** The largest disk that is booted. */
  virtualBytes: number;
  /** The longest time that the machine of a failed build is kept, whatever its manifest asks. */
  keepLimitMs: number;
  /** Machines that wait for builds, booted. */
  warm: WarmConfig;
}

/** How many machines wait for builds, and how long. */
export interface WarmConfig {
  /** For builds with the same image. */
  perImage: number;
  /** In all; besides them each running build has a machine. */
  most: number;
  /** An image that no build has used for so long gives its machines up. */
  keepMs: number;
}

/** Everything a runner reads from its environment. */
export interface Config {
  /** Served driver types, at least one. */
  drivers: readonly DriverName[];
  /** How many builds run at a time. */
  builds: number;
  /** How long builds that run may take to end once the runner has been told to; 0 gives them back at once. */
  drainMs: number;
  /** Holds the working directories of builds. */
  dir: string;
  /** Marks what this runner makes, so that it finds it again after a crash: one name, one process. */
  name: string;
  /** Names this process in its claims. */
  id: string;
  /** The PATH of `os` jobs, and where QEMU is looked for. */
  jobPath: string;
  docker: DockerConfig;
  qemu: QemuConfig;
  buildsAddr: string;
  /** Only for the qemu driver. */
  imagesAddr: string;
  namespacesAddr: string;
  natsUrl: string;
  subjectPrefix: string;
  /** host:port of /healthz, /readyz and /metrics. */
  adminListen: string;
  logLevel: string;
  tls?: TlsFiles;
}

const isDriver = (name: string): name is DriverName => name === "docker" || name === "os" || name === "qemu";

function drivers(text: string): DriverName[] {
  const names = text.split(",").map((name) => name.trim());
  if (!names.every(isDriver)) throw new Error(`must be a list of docker, qemu and os, not "${text}"`);
  return [...new Set(names)];
}

function atLeastOne(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`must be a whole number above 0, not "${text}"`);
  return Number(text);
}

function cpuCount(text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) === 0) throw new Error(`must be a number above 0, not "${text}"`);
  return Number(text);
}

const docker = (s: Settings): DockerConfig => ({
  host: s.str(
    "DOCKER_HOST",
    "the engine: `unix:///path`, `tcp://host:port` or `https://host:port`",
    "unix:///var/run/docker.sock",
  ),
  certPath: s.bool("DOCKER_TLS_VERIFY", "whether the engine asks for certificates", false)
    ? s.str("DOCKER_CERT_PATH", "folder with ca.pem, cert.pem and key.pem; required with `DOCKER_TLS_VERIFY`")
    : undefined,
  cpus: s.parsed("DOCKER_CPUS", "processors of one container", "2", cpuCount),
  memoryBytes: s.size("DOCKER_MEMORY", "memory of one container", "2GiB"),
  pids: s.int("DOCKER_PIDS", "processes in one container", 1_024),
  capabilities: s.list("DOCKER_CAPABILITIES", "capabilities to add to a container"),
});

function oneOf<T extends string>(...names: readonly T[]): (text: string) => T {
  return (text) => {
    const found = names.find((name) => name === text);
    if (!found) throw new Error(`must be ${names.slice(0, -1).join(", ")} or ${names.at(-1)}, not "${text}"`);
    return found;
  };
}

function warm(s: Settings, builds: number): WarmConfig {
  const perImage = s.int(
    "RUNNER_WARM_VMS",
    "booted virtual machines that wait for builds, of each image used lately; at most `RUNNER_BUILDS` times as many in all",
    0,
  );
  return {
    perImage,
    most: builds * perImage,
    keepMs: s.duration("RUNNER_WARM_FOR", "how long after its last build an image's machines wait", "30min"),
  };
}

const qemu = (s: Settings, dir: string, builds: number): QemuConfig => ({
  acceleration: s.parsed(
    "QEMU_ACCEL",
    "`kvm`, `tcg` (emulation, slow), or `auto`: KVM if a machine boots with it when the runner starts",
    "auto",
    oneOf("kvm", "tcg", "auto"),
  ),
  cpus: s.parsed("QEMU_CPUS", "processors of one virtual machine", "1", atLeastOne),
  memoryBytes: s.size("QEMU_MEMORY", "memory of one virtual machine", "2GiB"),
  outbound:
    s.parsed(
      "QEMU_NETWORK",
      "`none`, or `open`: virtual machines reach whatever the runner's host does, **the host itself included**",
      "none",
      oneOf("none", "open"),
    ) === "open",
  firstUid: s.parsed(
    "QEMU_UID",
    "where the user ids begin that QEMU runs with, one each, if the runner is root",
    "60800",
    atLeastOne,
  ),
  imagesDir: s.str(
    "RUNNER_IMAGES_DIR",
    "images on this host: base images below `_base/qemu/x86_64/`, and a cache of others",
    join(dir, ".images"),
  ),
  cacheBytes: s.size("RUNNER_IMAGES_CACHE", "size of that cache", "40GiB"),
  virtualBytes: s.size("IMAGE_VIRTUAL_LIMIT", "largest disk that an image may hold", "64GiB"),
  keepLimitMs: s.duration(
    "QEMU_KEEP_LIMIT",
    "longest that the machine of a failed build stays, whatever `keep_on_failure` says",
    "60min",
  ),
  warm: warm(s, builds),
});

/** The name and the id of a runner: `ci-<host>` unless set, so that two installations on a host keep apart. */
function identity(s: Settings, subjectPrefix: string): Pick<Config, "name" | "id"> {
  const name = s.str(
    "RUNNER_NAME",
    "marks what the runner makes, so that it finds it again: one name, one process",
    `${subjectPrefix}-${hostname()}`,
  );
  return {
    name,
    id: s.str("RUNNER_ID", "names the process in its claims", `${name}-${randomBytes(4).toString("hex")}`),
  };
}

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => {
    const subjectPrefix = s.str("SUBJECT_PREFIX", "how subjects on NATS begin", "ci");
    const dir = s.str("RUNNER_DIR", "holds the folders of running builds", join(tmpdir(), "service-ci-runner"));
    const served = s.parsed(
      "RUNNER_DRIVERS",
      "driver types that this runner serves: `docker`, `qemu`, `os`, separated by commas",
      undefined,
      drivers,
    );
    const builds = s.parsed("RUNNER_BUILDS", "builds at the same time", "1", atLeastOne);
    return {
      drivers: served,
      builds,
      drainMs: s.duration(
        "RUNNER_DRAIN",
        "how long a runner that is told to end finishes what it runs; the rest it gives back",
        "10min",
      ),
      dir,
      ...identity(s, subjectPrefix),
      jobPath: s.str(
        "PATH",
        "where programs are found: `qemu-img`, QEMU, and those of jobs of the os driver",
        "/usr/local/bin:/usr/bin:/bin",
      ),
      docker: docker(s),
      qemu: qemu(s, dir, builds),
      buildsAddr: s.str("BUILDS_ADDR", "host:port of the builds service"),
      imagesAddr: served?.includes("qemu")
        ? s.str("IMAGES_ADDR", "host:port of the images service; the runner needs it for virtual machines only")
        : "",
      namespacesAddr: s.str(
        "NAMESPACES_ADDR",
        "host:port of the namespaces service; every address of the host is a replica",
      ),
      natsUrl: s.str("NATS_URL", "where NATS is; may name a user and several servers"),
      subjectPrefix,
      adminListen: s.str("ADMIN_LISTEN", "host:port of `/healthz`, `/readyz` and `/metrics`", "127.0.0.1:0"),
      logLevel: s.str("LOG_LEVEL", "`debug`, `info`, `warn` or `error`", "info"),
      tls: tlsFiles(s),
    };
  });
