import { randomBytes } from "node:crypto";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { logLevel, natsUrl, readSettings, type Settings, type TlsFiles, tlsFiles } from "@ci/kit/process/config";
import { timer } from "@ci/kit/process/setting-types";
import { parseCapabilities } from "./drivers/docker/capabilities.js";

const driverNames = ["docker", "qemu", "os"] as const;

/** What a driver may be called in RUNNER_DRIVERS. */
export type DriverName = (typeof driverNames)[number];

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
  maxMachines: number;
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
  /** With less free on a disk that builds fill, none is claimed. */
  freeSpaceBytes: number;
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
    "booted virtual machines that wait for builds, of each image used lately; at most `RUNNER_BUILDS` times as many in all",
    0,
  );
  return {
    perImage,
    maxMachines: builds * perImage,
    keepMs: s.duration("RUNNER_WARM_FOR", "how long after its last build an image's machines wait", "30min"),
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
    timer,
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
    const served = s.someOf(
      "RUNNER_DRIVERS",
      "driver types that this runner serves: `docker`, `qemu`, `os`, separated by commas",
      driverNames,
    );
    const builds = s.parsed("RUNNER_BUILDS", "builds at the same time", "1", atLeastOne);
    return {
      drivers: served,
      builds,
      drainMs: s.duration(
        "RUNNER_DRAIN",
        "how long a runner that is told to end finishes what it runs; the rest it gives back",
        "10min",
        { max: timer.max },
      ),
      dir,
      freeSpaceBytes: s.size(
        "RUNNER_FREE_SPACE",
        "what must be free on the disks of `RUNNER_DIR`, of images and of an engine on this host; with less the runner claims nothing",
        "1GiB",
      ),
      ...identity(s, subjectPrefix),
      jobPath: s.str(
        "PATH",
        "where programs are found: `qemu-img`, QEMU, and those of jobs of the os driver",
        "/usr/local/bin:/usr/bin:/bin",
      ),
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
      adminListen: s.listen("ADMIN_LISTEN", "host:port of `/healthz`, `/readyz` and `/metrics`", "127.0.0.1:0"),
      logLevel: logLevel(s),
      tls: tlsFiles(s),
    };
  });
