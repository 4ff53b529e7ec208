import { guardConfig } from "@ci/kit/net/guard-config";
import type { AgentOptions } from "@ci/kit/net/guarded-agent";
import { readSettings, type ServiceConfig, type Settings, serviceConfig } from "@ci/kit/process/config";
import { parseDuration, timer } from "@ci/kit/process/setting-types";
import { type Keyring, parseKeys } from "@ci/kit/security/secrets";

/** Everything the builds service reads from its environment. Sizes in bytes, times in milliseconds. */
export interface Config extends ServiceConfig, AgentOptions {
  namespacesAddr: string;
  keyring: Keyring;
  /** Driver types a manifest may ask for. */
  drivers: readonly string[];
  manifestBytes: number;
  artifactBytes: number;
  maxJobs: number;
  maxStages: number;
  maxTags: number;
  tagLength: number;
  outputBytes: number;
  outputJsonBytes: number;
  outputListBytes: number;
  artifactStorageBytes: number;
  curationEveryMs: number;
  buildTimeoutMs: number;
  prepareTimeoutMs: number;
  leaseMs: number;
  renewEveryMs: number;
  maxReturns: number;
  /** 0: no limit. */
  runningPerUser: number;
  runningPerNamespace: number;
  /** Public base URL, without trailing slash: commit statuses link to builds. */
  publicUrl: string;
  /** How long a provider waits at most for the builds its delivery makes. */
  hookAnswerMs: number;
  /** For reading a commit, and for telling a status. */
  hookTimeoutMs: number;
  /** How long a delivery is kept by a process that has gone silent. */
  hookLeaseMs: number;
  /** Pauses before the second, third, ... attempt. */
  hookPausesMs: readonly number[];
  /** How long deliveries are remembered. */
  hookLogMs: number;
  /** The most that is read of a repository at once. */
  hookReadBytes: number;
}

function publicUrl(text: string): string {
  if (!/^https?:\/\/[^/]/.test(text) || !URL.canParse(text)) throw new Error("must be an http or https URL");
  return text.replace(/\/+$/, "");
}

/** A runner that renews more rarely than that would lose every build. */
function leases(s: Settings): Pick<Config, "leaseMs" | "renewEveryMs"> {
  const leaseMs = s.duration("LEASE", "how long a silent runner keeps a build", "15s", timer);
  const renewEveryMs = s.parsed("LEASE_RENEWAL", "how often a runner renews its lease", "5s", (text) => {
    const everyMs = parseDuration(text);
    if (everyMs >= leaseMs) throw new Error(`must be shorter than LEASE, not "${text}"`);
    if (everyMs === 0) throw new Error(`must be above 0, not "${text}"`);
    return everyMs;
  });
  return { leaseMs, renewEveryMs };
}

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => ({
    ...serviceConfig(s, "builds"),
    namespacesAddr: s.peer(
      "NAMESPACES_ADDR",
      "host:port of the namespaces service; every address of the host is a replica",
    ),
    keyring: s.parsed(
      "SECRET_KEYS",
      "`id:base64 of 32 bytes`, separated by commas; the first encrypts, all decrypt",
      undefined,
      parseKeys,
    ),
    drivers: s.someOf(
      "DRIVERS",
      "driver types that a manifest may ask for: `docker`, `qemu`, `os`, separated by commas",
      ["docker", "qemu", "os"],
      ["docker", "qemu"],
    ),
    manifestBytes: s.size("MANIFEST_LIMIT", "size of a manifest", "1MiB", { min: "1" }),
    artifactBytes: s.size("ARTIFACT_LIMIT", "largest artifact", "50MiB"),
    maxJobs: s.int("JOB_LIMIT", "jobs in it", 500, { min: "1" }),
    maxStages: s.int("STAGE_LIMIT", "stages in it", 100, { min: "1" }),
    maxTags: s.int("TAG_LIMIT", "tags on a build", 50),
    tagLength: s.int("TAG_LENGTH", "characters of a tag", 100, { min: "1" }),
    outputBytes: s.size("OUTPUT_LIMIT", "output kept of a job", "16MiB"),
    outputJsonBytes: s.size("OUTPUT_JSON", "output shown in a record", "2MiB"),
    outputListBytes: s.size("OUTPUT_LIST", "output shown in lists", "64KiB"),
    artifactStorageBytes: s.size("ARTIFACT_STORAGE", "artifacts kept for a user, the oldest go first; 0: all", "1GiB"),
    curationEveryMs: s.duration("CURATION_EVERY", "how often that is looked after", "5min", timer),
    buildTimeoutMs: s.duration("BUILD_TIMEOUT", "for a whole build", "30min", timer),
    prepareTimeoutMs: s.duration("PREPARE_TIMEOUT", "for its environment", "5min", timer),
    ...leases(s),
    maxReturns: s.int("LEASE_RETURNS", "how often a build is queued again when its runner is lost", 2),
    runningPerUser: s.int("BUILDS_PER_USER", "builds of one user that run at the same time; 0: no limit", 0),
    runningPerNamespace: s.int(
      "BUILDS_PER_NAMESPACE",
      "builds in one tree of namespaces that run at the same time; 0: no limit",
      0,
    ),
    publicUrl: s.parsed(
      "PUBLIC_URL",
      "what every URL in an answer starts with; its path is where the API lives",
      undefined,
      publicUrl,
    ),
    ...guardConfig(s),
    hookAnswerMs: s.duration("HOOK_ANSWER", "how long a provider waits for the addresses of its builds", "7s", timer),
    hookTimeoutMs: s.duration("HOOK_TIMEOUT", "for reading a commit, and for telling its status", "20s", timer),
    hookLeaseMs: s.duration("HOOK_LEASE", "how long a silent service keeps a delivery", "60s", timer),
    hookPausesMs: s.parsed(
      "HOOK_RETRIES",
      "pauses between attempts to build or tell",
      "5s,30s,2min,10min,30min,2h",
      (text) => text.split(",").map((pause) => parseDuration(pause.trim())),
    ),
    hookLogMs: s.duration("HOOK_LOG", "how long deliveries are remembered", "30d"),
    hookReadBytes: s.size("HOOK_READ_LIMIT", "how much is read of a repository", "32MiB"),
  }));
