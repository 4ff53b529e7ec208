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

const hasAll = (folder: string): boolean =>
  services.every((service) =>
    ["tls.crt", "tls.key", "ca.crt"].every((name) => existsSync(fileOf(folder, service, name))),
  );

const certificatesIn = (folder: string): X509Certificate[] =>
  services.map((service) => new X509Certificate(readFileSync(fileOf(folder, service, "tls.crt"))));

const endsSoon = ({ validTo }: X509Certificate): boolean => Date.parse(validTo) - Date.now() < renewBeforeMs;

const pemsIn = (bundle: string): string[] => bundle.match(/-----BEGIN.*?-----END CERTIFICATE-----/gs) ?? [];

/** Returns the authorities of these certificates. There are two if an earlier renewal ended halfway. */
function authoritiesOf(certificates: readonly X509Certificate[], folder: string): string {
  if (certificates.length === 0) return "";
  const known = services.flatMap((service) => pemsIn(readFileSync(fileOf(folder, service, "ca.crt"), "utf8")));
  const used = [...new Set(known)].filter((pem) => {
    const authority = new X509Certificate(pem);
    return certificates.some((one) => one.checkIssued(authority) && one.verify(authority.publicKey));
  });
  return used.map((pem) => `${pem}\n`).join("");
}

/**
 * Gives each service a folder of its own with `tls.crt`, `tls.key` and `ca.crt`, all signed by one new authority, whose
 * key is not kept. Certificates that do not end soon stay. Others are replaced while the services run: they first learn
 * to trust the new authority beside the old one.
 */
export async function writeCertificates(folder: string, { uid, gid, pauseMs = noticeMs }: Options): Promise<string> {
  const before = hasAll(folder) ? certificatesIn(folder) : [];
  if (before.length > 0 && !before.some(endsSoon)) return "The certificates stay as they are.";
  const write = (service: string, name: string, text: string) => {
    const file = fileOf(folder, service, name);
    writeFileSync(`${file}.new`, text, { mode: 0o400 });
    chownSync(`${file}.new`, uid, gid);
    renameSync(`${file}.new`, file);
  };
  const authority = await newAuthority(days);
  const trusted = authority.ca + authoritiesOf(before, folder);
  for (const service of services) write(service, "ca.crt", trusted);
  if (before.length > 0) await pause(pauseMs);
  for (const service of services) {
    const { cert, key } = await authority.sign([service], days);
    write(service, "tls.key", key);
    write(service, "tls.crt", cert);
  }
  return "Made certificates for the services.";
}
