import { X509Certificate } from "node:crypto";
import { chownSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { newAuthority } from "./authority.js";

const services = ["gateway", "namespaces", "builds", "images", "webhooks", "runner"] as const;
const days = 5 * 365;
/** A certificate that ends sooner is replaced. */
const renewBeforeMs = 365 * 86_400_000;
/** Longer than the services take to see a changed file. */
const noticeMs = 10_000;

interface Options {
  readonly uid: number;
  readonly gid: number;
  readonly pauseMs?: number;
}

const fileOf = (folder: string, service: string, name: string) => join(folder, service, name);

/** Returns the authorities that the services trust so far; none if one of them has nothing yet. */
function trusted(folder: string): string | undefined {
  const files = services.flatMap((service) =>
    ["tls.crt", "tls.key", "ca.crt"].map((name) => fileOf(folder, service, name)),
  );
  return files.every(existsSync) ? readFileSync(fileOf(folder, services[0], "ca.crt"), "utf8") : undefined;
}

const endsSoon = (folder: string): boolean =>
  services.some((service) => {
    const { validTo } = new X509Certificate(readFileSync(fileOf(folder, service, "tls.crt")));
    return Date.parse(validTo) - Date.now() < renewBeforeMs;
  });

const firstOf = (bundle: string): string => /-----BEGIN.*?-----END CERTIFICATE-----\n?/s.exec(bundle)?.[0] ?? "";

/**
 * Gives each service a folder of its own with `tls.crt`, `tls.key` and `ca.crt`, all signed by one new authority, whose
 * key is not kept. Certificates that last stay. Others are replaced while the services run: they first learn to trust the
 * new authority beside the old one.
 */
export async function writeCertificates(folder: string, { uid, gid, pauseMs = noticeMs }: Options): Promise<string> {
  const before = trusted(folder);
  if (before !== undefined && !endsSoon(folder)) return "The certificates stay as they are.";
  const write = (service: string, name: string, text: string) => {
    const file = fileOf(folder, service, name);
    writeFileSync(`${file}.new`, text, { mode: 0o400 });
    chownSync(`${file}.new`, uid, gid);
    renameSync(`${file}.new`, file);
  };
  const authority = await newAuthority(days);
  for (const service of services) write(service, "ca.crt", authority.ca + firstOf(before ?? ""));
  if (before !== undefined) await pause(pauseMs);
  for (const service of services) {
    const { cert, key } = await authority.sign([service], days);
    write(service, "tls.key", key);
    write(service, "tls.crt", cert);
  }
  return "Made certificates for the services.";
}
