import type { ByteLimit } from "@ci/kit/mongo/byte-quota";
import type { CountLimit } from "@ci/kit/mongo/quota";
import { guardConfig } from "@ci/kit/net/guard-config";
import type { AgentOptions } from "@ci/kit/net/guarded-agent";
import { keyring, readSettings, type ServiceConfig, serviceConfig } from "@ci/kit/process/config";
import { byteLimit, countLimit } from "@ci/kit/process/quota-config";
import { timer } from "@ci/kit/process/setting-types";
import type { Keyring } from "@ci/kit/security/secrets";

/** The settings of the images service. Sizes in bytes, times in milliseconds. */
export interface Config extends ServiceConfig, AgentOptions {
  namespacesAddr: string;
  keyring: Keyring;
  imageBytes: number;
  imagesPerNamespace: CountLimit;
  imageStorage: ByteLimit;
  virtualBytes: number;
  downloadTimeoutMs: number;
  downloadStallMs: number;
  downloadAttempts: number;
  downloadRedirects: number;
  downloadPauseMs: number;
  downloadLeaseMs: number;
  downloadConcurrency: number;
  path: string;
}

export const readConfig = (env: NodeJS.ProcessEnv = process.env): Config =>
  readSettings(env, (s) => ({
    ...serviceConfig(s, "images", {
      namespacesAddr: s.peer(
        "NAMESPACES_ADDR",
        "host:port of the namespaces service; every address of the host is a replica",
      ),
    }),
    keyring: keyring(s),
    imageBytes: s.size("IMAGE_LIMIT", "largest image file", "20GiB", {
      refusal: "file too large, cannot exceed N GB",
    }),
    imagesPerNamespace: countLimit(s, "Images", "namespace"),
    imageStorage: byteLimit(s, "IMAGE_QUOTA", "1024GiB", {
      records: "images",
      about: "total size of the images of one user; 0: no limit",
      remedy: "delete images",
    }),
    virtualBytes: s.size("IMAGE_VIRTUAL_LIMIT", "largest virtual disk of an image", "64GiB", {
      refusal: "File virtual size cannot exceed N GiB",
    }),
    downloadTimeoutMs: s.duration("DOWNLOAD_TIMEOUT", "time limit for one attempt to download an image", "10min", {
      ...timer,
      refusal: "timeout",
      effect: "the attempt is repeated",
    }),
    downloadStallMs: s.duration(
      "DOWNLOAD_STALL",
      "longest time until the server of an image responds, and until it has sent the next 60 KiB",
      "1min",
      { ...timer, min: "10s", refusal: "server too slow: less than 60 KiB in N s", effect: "the attempt is repeated" },
    ),
    downloadAttempts: s.int("DOWNLOAD_ATTEMPTS", "attempts at a download before it fails for good", 5, {
      min: "1",
      effect: "the download fails for good",
    }),
    downloadRedirects: s.int("DOWNLOAD_REDIRECTS", "redirects that a download follows", 5, {
      refusal: "too many redirects",
    }),
    downloadPauseMs: s.duration(
      "DOWNLOAD_PAUSE",
      "pause before the second attempt at a download; each further pause is three times as long",
      "1s",
    ),
    downloadLeaseMs: s.duration(
      "DOWNLOAD_LEASE",
      "how long a service that has stopped responding keeps a download",
      "15s",
      timer,
    ),
    downloadConcurrency: s.int(
      "DOWNLOAD_CONCURRENCY",
      "concurrent downloads of images in one process, half of them at most of one user",
      4,
      {
        min: "1",
        effect: "further downloads wait",
      },
    ),
    path: s.str(
      "PATH",
      "where programs are found: `qemu-img`, and in the runner QEMU and iptables",
      "/usr/local/bin:/usr/bin:/bin",
    ),
    ...guardConfig(s),
  }));
