import { readSettings, type ServiceConfig, serviceConfig } from "@ci/kit/config";
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
  }));
