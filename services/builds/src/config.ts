import type { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { parseDuration, readSettings, type ServiceConfig, serviceConfig } from "@ci/kit/config";
import { type Allow, parseAllow } from "@ci/kit/guard";
import { parseResolver } from "@ci/kit/resolver";
import { type Keyring, parseKeys } from "@ci/kit/secrets";

/** Everything the builds service reads from its environment. Sizes in bytes, times in milliseconds. */
export interface Config extends ServiceConfig {
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
  /** What repositories may be connected to although the guard would refuse it. */
  allow: Allow;
  /** Who is asked for the addresses of strangers' names; absent: the system. */
  resolver?: Resolver;
  /** PEM certificates trusted besides the system's. */
  extraCa?: string;
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

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => ({
    ...serviceConfig(s, "builds"),
    namespacesAddr: s.str("NAMESPACES_ADDR"),
    keyring: s.parsed("SECRET_KEYS", undefined, parseKeys),
    drivers: s.list("DRIVERS", ["docker", "qemu"]),
    manifestBytes: s.size("MANIFEST_LIMIT", "1MiB"),
    artifactBytes: s.size("ARTIFACT_LIMIT", "50MiB"),
    maxJobs: s.int("JOB_LIMIT", 500),
    maxStages: s.int("STAGE_LIMIT", 100),
    maxTags: s.int("TAG_LIMIT", 50),
    tagLength: s.int("TAG_LENGTH", 100),
    outputBytes: s.size("OUTPUT_LIMIT", "16MiB"),
    outputJsonBytes: s.size("OUTPUT_JSON", "2MiB"),
    outputListBytes: s.size("OUTPUT_LIST", "64KiB"),
    artifactStorageBytes: s.size("ARTIFACT_STORAGE", "1GiB"),
    curationEveryMs: s.duration("CURATION_EVERY", "5min"),
    buildTimeoutMs: s.duration("BUILD_TIMEOUT", "30min"),
    prepareTimeoutMs: s.duration("PREPARE_TIMEOUT", "5min"),
    leaseMs: s.duration("LEASE", "15s"),
    renewEveryMs: s.duration("LEASE_RENEWAL", "5s"),
    maxReturns: s.int("LEASE_RETURNS", 2),
    runningPerUser: s.int("BUILDS_PER_USER", 0),
    runningPerNamespace: s.int("BUILDS_PER_NAMESPACE", 0),
    publicUrl: s.parsed("PUBLIC_URL", undefined, publicUrl),
    allow: s.parsed("CI_GUARD_ALLOW", "", parseAllow),
    resolver: s.parsed("CI_DNS_SERVERS", "", parseResolver),
    extraCa: s.parsed("CI_EXTRA_CA", "", (path) => (path === "" ? undefined : readFileSync(path, "utf8"))),
    hookAnswerMs: s.duration("HOOK_ANSWER", "7s"),
    hookTimeoutMs: s.duration("HOOK_TIMEOUT", "20s"),
    hookLeaseMs: s.duration("HOOK_LEASE", "60s"),
    hookPausesMs: s.parsed("HOOK_RETRIES", "5s,30s,2min,10min,30min,2h", (text) =>
      text.split(",").map((pause) => parseDuration(pause.trim())),
    ),
    hookLogMs: s.duration("HOOK_LOG", "30d"),
    hookReadBytes: s.size("HOOK_READ_LIMIT", "32MiB"),
  }));
