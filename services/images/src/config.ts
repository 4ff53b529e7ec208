import type { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { readSettings, type ServiceConfig, serviceConfig } from "@ci/kit/config";
import { type Allow, parseAllow } from "@ci/kit/guard";
import { parseResolver } from "@ci/kit/resolver";
import { type Keyring, parseKeys } from "@ci/kit/secrets";

/** Everything the images service reads from its environment. Sizes in bytes, times in milliseconds. */
export interface Config extends ServiceConfig {
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
  /** Addresses that downloads may come from although they are not public. */
  allow: Allow;
  /** Who is asked for the addresses of strangers' names; absent: the system. */
  resolver?: Resolver;
  /** PEM certificates trusted besides the system's. */
  extraCa?: string;
}

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => ({
    ...serviceConfig(s, "images"),
    namespacesAddr: s.str(
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
    downloadTimeoutMs: s.duration("DOWNLOAD_TIMEOUT", "for one download of an image", "10min"),
    downloadAttempts: Math.max(1, s.int("DOWNLOAD_ATTEMPTS", "how often one is tried", 5)),
    downloadRedirects: s.int("DOWNLOAD_REDIRECTS", "redirects that are followed", 5),
    downloadPauseMs: s.duration(
      "DOWNLOAD_PAUSE",
      "pause before the second attempt; each further one is three times as long",
      "1s",
    ),
    downloadLeaseMs: s.duration("DOWNLOAD_LEASE", "how long a silent service keeps a download", "15s"),
    downloadConcurrency: Math.max(1, s.int("DOWNLOAD_CONCURRENCY", "downloads at the same time in one process", 4)),
    path: s.str(
      "PATH",
      "where programs are found: `qemu-img`, QEMU, and those of jobs of the os driver",
      "/usr/local/bin:/usr/bin:/bin",
    ),
    allow: s.parsed(
      "CI_GUARD_ALLOW",
      "addresses, CIDR ranges, host names, endpoints (`10.1.2.3:8080`) that may be reached although they are private",
      "",
      parseAllow,
    ),
    resolver: s.parsed(
      "CI_DNS_SERVERS",
      "name servers (`9.9.9.9`, `10.1.2.3:5353`) to ask for the addresses of strangers' names; empty: the system",
      "",
      parseResolver,
    ),
    extraCa: s.parsed("CI_EXTRA_CA", "PEM file of certificates to trust besides the system's", "", (path) =>
      path === "" ? undefined : readFileSync(path, "utf8"),
    ),
  }));
