import { guardConfig } from "@ci/kit/net/guard-config";
import type { AgentOptions } from "@ci/kit/net/guarded-agent";
import type { Settings } from "@ci/kit/process/config";
import { fixedLimit } from "@ci/kit/process/fixed-limit";
import { timer } from "@ci/kit/process/setting-types";
import { parseCapabilities } from "./capabilities.js";

export interface DockerConfig {
  host: string;
  certPath?: string;
  cpus: number;
  memoryBytes: number;
  /** Limits the volume and the container's root together. */
  diskBytes: number;
  /** The same for files, folders and links. */
  files: number;
  pids: number;
  capabilities: readonly string[];
  /** The registries that the operator trusts. Others are excluded unless the list is empty or contains `*`. */
  registries: readonly string[];
  /** Names of images that builds may use without a pull; `*` stands for any text. */
  localImages: readonly string[];
  /** Limits the compressed layers of an image that the runner fetches. */
  pullBytes: number;
  /** How long the network of an ended build waits for the next one. */
  networkKeepMs: number;
  /** Containers that wait, started, for builds with the images that were used last. */
  spares: { max: number; keepMs: number; readyMs?: number; pauseAfterMs?: number };
  /** How long a service may take to become ready. */
  serviceReadyMs: number;
  /** Guards the addresses of registries. */
  guard: AgentOptions;
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

const maxListed = fixedLimit({
  max: 256,
  about: "entries of `DOCKER_REGISTRIES` and of `DOCKER_LOCAL_IMAGES`",
  effect: "the runner does not start",
});

const listOf =
  (entry: RegExp, what: string) =>
  (text: string): readonly string[] => {
    const all = text.split(",").flatMap((part) => part.trim() || []);
    const bad = all.find((one) => !entry.test(one));
    if (bad !== undefined) throw new Error(`must be ${what}, not "${bad}"`);
    if (all.length > maxListed) throw new Error(`must be at most ${maxListed} ${what}, not ${all.length}`);
    return all;
  };

const registries = (text: string): readonly string[] =>
  listOf(
    /^(?:\*|[A-Za-z0-9][A-Za-z0-9.-]{0,252}(?::[1-9][0-9]{0,4})?)$/,
    "registries like ghcr.io or host:5000",
  )(text).map((registry) => registry.toLowerCase());

export const dockerConfig = (s: Settings): DockerConfig => ({
  host: s.parsed(
    "DOCKER_HOST",
    "the engine: `unix:///path`, `tcp://host:port` or `https://host:port`",
    "unix:///var/run/docker.sock",
    engineHost,
  ),
  certPath: s.bool("DOCKER_TLS_VERIFY", "whether the engine asks for certificates", false)
    ? s.str("DOCKER_CERT_PATH", "folder with ca.pem, cert.pem and key.pem; required with `DOCKER_TLS_VERIFY`")
    : undefined,
  cpus: s.parsed("DOCKER_CPUS", "processors of one container", "2", cpuCount, { effect: "the container has no more" }),
  memoryBytes: s.size("DOCKER_MEMORY", "memory of one container", "2GiB", {
    min: "6MiB",
    refusal: "Killed: out of memory (limit N); raise DOCKER_MEMORY or use less",
  }),
  diskBytes: s.size("DOCKER_DISK", "what one build may write: its volumes and the root of its container", "10GiB", {
    min: "1MiB",
    refusal: "Killed: out of disk (limit N); raise DOCKER_DISK or write less",
  }),
  pids: s.int("DOCKER_PIDS", "processes in one container", 1_024, {
    min: "1",
    effect: "further processes cannot start",
  }),
  files: s.int(
    "DOCKER_FILES",
    "files, folders and links that one build may make: in its volumes and in the root of its container",
    1_000_000,
    { min: "1", refusal: "Killed: too many files (limit N); raise DOCKER_FILES or make fewer" },
  ),
  capabilities: s.parsed("DOCKER_CAPABILITIES", "capabilities to add to a container", "", parseCapabilities),
  registries: s.parsed(
    "DOCKER_REGISTRIES",
    "trusted registries, such as `docker.io,registry.corp.example:5000`: the engine itself pulls from them, at any address. Others are excluded unless the list is empty or contains `*`; the runner fetches their images from public addresses and those that `CI_GUARD_ALLOW` names",
    "",
    registries,
  ),
  localImages: s.parsed(
    "DOCKER_LOCAL_IMAGES",
    "images of the engine that builds may use although they were not pulled for builds, such as `tools:1,team/*`; `*` means all, `-` none",
    "-",
    listOf(/^[\w.*:@/-]{1,255}$/, "names of images"),
  ),
  pullBytes: s.size(
    "DOCKER_PULL_LIMIT",
    "largest image that the runner fetches from a registry that is not trusted: its layers together, unpacked",
    "20GiB",
    { min: "1MiB", refusal: "Image X could not be pulled: it is larger than N, the limit of DOCKER_PULL_LIMIT" },
  ),
  networkKeepMs: s.duration(
    "DOCKER_NETWORK_FOR",
    "how long the network of an ended build waits for the next build, which then starts sooner; `0ms` removes it at once",
    "5min",
    { max: timer.max, effect: "the network is removed" },
  ),
  spares: {
    max: s.int(
      "DOCKER_WARM_CONTAINERS",
      "started containers that wait for builds with the images that were used last, so that their first job starts sooner",
      2,
      { effect: "further containers are started when a build needs them" },
    ),
    keepMs: s.duration("DOCKER_WARM_FOR", "how long such a container waits for a build", "10min", {
      min: "1s",
      max: timer.max,
      effect: "the container is removed",
    }),
  },
  serviceReadyMs: s.duration("DOCKER_SERVICE_READY", "how long a service may take to become ready", "2min", {
    min: "1s",
    max: "60min",
    refusal: "Service X did not become ready within N",
  }),
  guard: guardConfig(s),
});
