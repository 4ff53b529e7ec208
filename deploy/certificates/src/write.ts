import { X509Certificate } from "node:crypto";
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { newAuthority } from "./authority.js";

export const services = ["gateway", "namespaces", "builds", "images", "webhooks", "runner"] as const;
/** MongoDB and NATS, by their host names. */
export const servers = ["mongo", "nats"] as const;
/** Programs beside a server, and those of operators through a forwarded port, use these names. */
const local = ["localhost", "127.0.0.1"];
const all = [...services, ...servers];
/** A folder with nothing but `ca.crt`, for programs that are no service. */
const publicFolder = "ca";
export const folders = [...all, publicFolder];

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

const isComplete = (folder: string, name: string): boolean =>
  ["tls.crt", "tls.key", "ca.crt"].every((file) => existsSync(fileOf(folder, name, file)));

const certificateOf = (folder: string, name: string): X509Certificate =>
  new X509Certificate(readFileSync(fileOf(folder, name, "tls.crt")));

const endsSoon = ({ validTo }: X509Certificate): boolean => Date.parse(validTo) - Date.now() < renewBeforeMs;

const pemsIn = (bundle: string): string[] => bundle.match(/-----BEGIN.*?-----END CERTIFICATE-----/gs) ?? [];

/** Returns the authorities of existing certificates. There are two if an earlier renewal ended halfway. */
function authoritiesOf(folder: string, names: readonly string[]): string {
  const certificates = names.map((name) => certificateOf(folder, name));
  const known = names.flatMap((name) => pemsIn(readFileSync(fileOf(folder, name, "ca.crt"), "utf8")));
  const used = [...new Set(known)].filter((pem) => {
    const authority = new X509Certificate(pem);
    return certificates.some((one) => one.checkIssued(authority) && one.verify(authority.publicKey));
  });
  return used.map((pem) => `${pem}\n`).join("");
}

/**
 * Gives each service and server a folder of its own with `tls.crt`, `tls.key` and `ca.crt`, all signed by one new authority,
 * whose key is not kept. The services' files belong to `uid` and `gid`. Certificates that do not end soon stay. Others are
 * replaced while the services run: they first learn to trust the new authority beside the old one.
 */
export async function writeCertificates(folder: string, { uid, gid, pauseMs = noticeMs }: Options): Promise<string> {
  const before = all.filter((name) => isComplete(folder, name));
  const stays = before.length === all.length && existsSync(fileOf(folder, publicFolder, "ca.crt"));
  if (stays && !before.some((name) => endsSoon(certificateOf(folder, name))))
    return "The certificates stay as they are.";
  const isService = (name: string) => services.some((service) => service === name);
  const write = (name: string, file: string, text: string) => {
    const path = fileOf(folder, name, file);
    rmSync(`${path}.new`, { force: true });
    writeFileSync(`${path}.new`, text, { mode: file === "tls.key" ? 0o400 : 0o444 });
    if (isService(name)) chownSync(`${path}.new`, uid, gid);
    renameSync(`${path}.new`, path);
  };
  const authority = await newAuthority(days);
  const trusted = authority.ca + authoritiesOf(folder, before);
  for (const name of folders) write(name, "ca.crt", trusted);
  if (before.length > 0) await pause(pauseMs);
  for (const name of all) {
    const { cert, key } = await authority.sign(isService(name) ? [name] : [name, ...local], days);
    write(name, "tls.key", key);
    write(name, "tls.crt", cert);
  }
  return "Made certificates for the services, MongoDB and NATS.";
}
