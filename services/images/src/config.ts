import { guardConfig } from "@ci/kit/net/guard-config";
import type { AgentOptions } from "@ci/kit/net/guarded-agent";
import { readSettings, type ServiceConfig, serviceConfig } from "@ci/kit/process/config";
import { timer } from "@ci/kit/process/setting-types";
import { type Keyring, parseKeys } from "@ci/kit/security/secrets";

/** Everything the images service reads from its environment. Sizes in bytes, times in milliseconds. */
export interface Config extends ServiceConfig, AgentOptions {
  namespacesAddr: string;
  /** Seals download URLs while they wait. */
  keyring: Keyring;
  imageBytes: number;
  /** The largest disk an image may describe. */
  virtualBytes: number;
  downloadTimeoutMs: number;
  downloadAttempts: number;
  downloadRedirects: number;
  /** The pause after the first failed attempt; each further one is three times as long. */
  downloadPauseMs: number;
  /** How long a download may stay without a sign of life before another process takes it over. */
  downloadLeaseMs: number;
  /** Downloads at the same time in this process. */
  downloadConcurrency: number;
  /** Where qemu-img is looked for. */
  path: string;
}

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => ({
    ...serviceConfig(s, "images"),
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
    imageBytes: s.size("IMAGE_LIMIT", "largest file of an image", "20GiB"),
    virtualBytes: s.size("IMAGE_VIRTUAL_LIMIT", "largest disk that an image may hold", "64GiB"),
    downloadTimeoutMs: s.duration("DOWNLOAD_TIMEOUT", "for one download of an image", "10min", timer),
    downloadAttempts: s.int("DOWNLOAD_ATTEMPTS", "how often one is tried", 5, { min: "1" }),
    downloadRedirects: s.int("DOWNLOAD_REDIRECTS", "redirects that are followed", 5),
    downloadPauseMs: s.duration(
      "DOWNLOAD_PAUSE",
      "pause before the second attempt; each further one is three times as long",
      "1s",
    ),
    downloadLeaseMs: s.duration("DOWNLOAD_LEASE", "how long a silent service keeps a download", "15s", timer),
    downloadConcurrency: s.int("DOWNLOAD_CONCURRENCY", "downloads at the same time in one process", 4, { min: "1" }),
    path: s.str(
      "PATH",
      "where programs are found: `qemu-img`, QEMU, and those of jobs of the os driver",
      "/usr/local/bin:/usr/bin:/bin",
    ),
    ...guardConfig(s),
  }));
