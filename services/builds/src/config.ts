import type { ByteLimit } from "@ci/kit/mongo/byte-quota";
import type { CountLimit } from "@ci/kit/mongo/quota";
import { guardConfig } from "@ci/kit/net/guard-config";
import type { AgentOptions } from "@ci/kit/net/guarded-agent";
import { keyring, readSettings, type ServiceConfig, type Settings, serviceConfig } from "@ci/kit/process/config";
import { byteLimit, countLimit } from "@ci/kit/process/quota-config";
import { parseDuration, timer, within } from "@ci/kit/process/setting-types";
import type { Keyring } from "@ci/kit/security/secrets";
import { Driver_Type } from "@ci/proto/builds/v1/queue";

export interface Config extends ServiceConfig, AgentOptions {
  namespacesAddr: string;
  keyring: Keyring;
  drivers: readonly string[];
  manifestBytes: number;
  artifactBytes: number;
  maxJobs: number;
  maxStages: number;
  maxTags: number;
  tagLength: number;
  maskedBytes: number;
  outputBytes: number;
  outputJsonBytes: number;
  outputListBytes: number;
  artifactStorageBytes: number;
  artifactQuota: ByteLimit;
  cacheBytes: number;
  /** The limit for one owner; 0 means none. */
  cacheStorageBytes: number;
  cacheUnusedMs: number;
  curationEveryMs: number;
  buildTimeoutMs: number;
  prepareTimeoutMs: number;
  leaseMs: number;
  renewEveryMs: number;
  maxReturns: number;
  /** 0 means no limit. */
  runningPerUser: number;
  runningPerNamespace: number;
  repositoriesPerUser: CountLimit;
  cronsPerUser: CountLimit;
  /** Without trailing slash. Commit statuses link to builds below it. */
  publicUrl: string;
  hookAnswerMs: number;
  hookTimeoutMs: number;
  hookLeaseMs: number;
  hookPausesMs: readonly number[];
  hookLogMs: number;
  hookReadBytes: number;
}

function publicUrl(text: string): string {
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text)) throw new Error("must be an http or https URL");
  return text.replace(/\/+$/, "");
}

/** Reads the lease and its renewal interval, which must be shorter, or runners would lose every build. */
function leases(s: Settings): Pick<Config, "leaseMs" | "renewEveryMs"> {
  const leaseMs = s.duration("LEASE", "how long a silent runner keeps its builds", "15s", timer);
  const renewEveryMs = s.parsed(
    "LEASE_RENEWAL",
    "how often a runner renews its leases; must be shorter than `LEASE`",
    "5s",
    (text) => {
      const everyMs = parseDuration(text);
      if (everyMs >= leaseMs) throw new Error(`must be shorter than LEASE, not "${text}"`);
      if (everyMs === 0) throw new Error(`must be above 0, not "${text}"`);
      return everyMs;
    },
  );
  return { leaseMs, renewEveryMs };
}

/** Reads the timeout and the lease of hook deliveries. The lease must not end while a commit is still being read. */
function steps(s: Settings): Pick<Config, "hookTimeoutMs" | "hookLeaseMs"> {
  const about = "how long reading a commit or reporting its status may take";
  const effect = "the attempt fails and is repeated";
  const hookTimeoutMs = s.duration("HOOK_TIMEOUT", about, "20s", { ...timer, effect });
  const hookLeaseMs = s.parsed(
    "HOOK_LEASE",
    "how long a silent replica keeps a hook delivery; must be longer than `HOOK_TIMEOUT`",
    "60s",
    (text) => {
      const leaseMs = within("a time", parseDuration, timer)(text);
      if (leaseMs <= hookTimeoutMs) throw new Error(`must be longer than HOOK_TIMEOUT, not "${text}"`);
      return leaseMs;
    },
  );
  return { hookTimeoutMs, hookLeaseMs };
}

const hooks = (s: Settings) => ({
  hookAnswerMs: s.duration("HOOK_ANSWER", "how long a provider's hook request waits for the URLs of its builds", "7s", {
    ...timer,
    effect: "202 without the URLs of the builds",
  }),
  ...steps(s),
  hookPausesMs: s.parsed(
    "HOOK_RETRIES",
    "pauses between attempts to build a commit, to report its status, and to register or remove a hook",
    "5s,30s,2min,10min,30min,2h",
    (text) => text.split(",").map((pause) => parseDuration(pause.trim())),
  ),
  hookLogMs: s.duration(
    "HOOK_LOG",
    "how long hook deliveries are kept, at least until their final status is reported; meanwhile, a repeated delivery triggers no build",
    "30d",
  ),
  hookReadBytes: s.size("HOOK_READ_LIMIT", "most bytes read from a repository for one commit", "32MiB", {
    effect: "the commit makes no build; its status is an error",
  }),
});

/** What a build may consist of and leave behind. */
export const sizes = (s: Settings) => ({
  manifestBytes: s.size("MANIFEST_LIMIT", "largest manifest", "1MiB", {
    min: "1",
    refusal: "Manifest cannot exceed N",
  }),
  artifactBytes: s.size("ARTIFACT_LIMIT", "largest artifact", "50MiB", { refusal: "larger than N" }),
  maxJobs: s.int("JOB_LIMIT", "most jobs in a manifest, including one for each source", 500, {
    min: "1",
    refusal: "Manifest cannot have more than N jobs",
  }),
  maxStages: s.int("STAGE_LIMIT", "most stages in a manifest", 100, {
    min: "1",
    refusal: "Manifest cannot have more than N stages",
  }),
  maxTags: s.int("TAG_LIMIT", "most tags on a build", 50, { refusal: "Tags cannot exceed N per build" }),
  tagLength: s.int("TAG_LENGTH", "longest tag, in characters", 100, {
    min: "1",
    max: "65536",
    refusal: "Tags name cannot be longer than N characters in length",
  }),
  maskedBytes: s.size(
    "MASK_LIMIT",
    "total size of a build's masked variables and private keys; runners search all output for them",
    "256KiB",
    { refusal: "Manifest masked variables and keys cannot exceed N; delete some of them" },
  ),
  outputBytes: s.size("OUTPUT_LIMIT", "output kept of each job; the rest is dropped", "16MiB", {
    refusal: "-- output truncated after N bytes --",
  }),
  outputJsonBytes: s.size("OUTPUT_JSON", "output shown in the record of a build or job: its end", "2MiB", {
    effect: "the beginning is omitted",
  }),
  outputListBytes: s.size("OUTPUT_LIST", "output shown of each build or job in lists: its end", "64KiB", {
    effect: "the beginning is omitted",
  }),
  artifactStorageBytes: s.size(
    "ARTIFACT_STORAGE",
    "total size of the artifacts kept for one user; the oldest are deleted first; 0: no limit",
    "1GiB",
    { effect: "the oldest artifacts are deleted, except those of pinned builds" },
  ),
  artifactQuota: byteLimit(s, "ARTIFACT_QUOTA", "100GiB", {
    records: "artifacts",
    about: "total size of the artifacts of one user, including those of pinned builds; 0: no limit",
    remedy: "unpin builds",
  }),
  cacheBytes: s.size("CACHE_LIMIT", "largest cache entry, uncompressed", "2GiB", {
    effect: "the build's output says that nothing was stored",
  }),
  cacheStorageBytes: s.size(
    "CACHE_STORAGE",
    "total size of the cache entries of one namespace tree or user; 0: no limit",
    "10GiB",
    { effect: "the least recently used entries are removed" },
  ),
  cacheUnusedMs: s.duration("CACHE_UNUSED", "how long a cache entry is kept after its last use", "14d", {
    effect: "the entry is removed",
  }),
});

/** How long a build may take. */
export const times = (s: Settings) => ({
  buildTimeoutMs: s.duration("BUILD_TIMEOUT", "how long a build may run", "30min", {
    ...timer,
    refusal: "Build timed out after N; make it shorter or raise BUILD_TIMEOUT",
  }),
  prepareTimeoutMs: s.duration("PREPARE_TIMEOUT", "how long preparing the environment of a build may take", "5min", {
    ...timer,
    refusal: "Preparing the environment timed out after N; raise PREPARE_TIMEOUT if it needs longer",
  }),
});

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => ({
    ...serviceConfig(s, "builds", {
      namespacesAddr: s.peer(
        "NAMESPACES_ADDR",
        "host:port of the namespaces service; every address of the host is a replica",
      ),
    }),
    keyring: keyring(s),
    drivers: s.someOf(
      "DRIVERS",
      "driver types that manifests may use: `docker`, `qemu`, `os`, separated by commas",
      Object.values(Driver_Type),
      ["docker", "qemu"],
    ),
    ...sizes(s),
    curationEveryMs: s.duration(
      "CURATION_EVERY",
      "how often artifacts beyond `ARTIFACT_STORAGE` and unused cache entries are deleted",
      "5min",
      timer,
    ),
    ...times(s),
    ...leases(s),
    maxReturns: s.int("LEASE_RETURNS", "how often a build is requeued after its runner is lost", 2, {
      refusal: "no attempts left",
    }),
    runningPerUser: s.int("BUILDS_PER_USER", "builds of one user that may run at the same time; 0: no limit", 0, {
      effect: "further builds wait in the queue",
    }),
    runningPerNamespace: s.int(
      "BUILDS_PER_NAMESPACE",
      "builds in one namespace tree that may run at the same time; 0: no limit",
      0,
      { effect: "further builds wait in the queue" },
    ),
    repositoriesPerUser: countLimit(s, "Repositories", "user"),
    cronsPerUser: countLimit(s, "Cron jobs", "user"),
    publicUrl: s.parsed(
      "PUBLIC_URL",
      "what every URL in a response starts with; its path is where the API lives",
      undefined,
      publicUrl,
    ),
    ...guardConfig(s),
    ...hooks(s),
  }));
