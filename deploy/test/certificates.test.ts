import { X509Certificate } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newAuthority } from "@ci/certificates/authority";
import { writeCertificates } from "@ci/certificates/write";
import { serviceNamed } from "@ci/kit/rpc/certificates";
import { services } from "./_settings.js";

const options = { uid: process.getuid!(), gid: process.getgid!(), pauseMs: 0 };
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "ci-certificates-"));
  for (const service of services) mkdirSync(join(dir, service));
});
afterEach(() => rmSync(dir, { recursive: true }));

const read = (service: string, name: string) => readFileSync(join(dir, service, name), "utf8");
const all = () => services.map((service) => ["tls.crt", "tls.key", "ca.crt"].map((name) => read(service, name)));
const authoritiesOf = (service: string) => read(service, "ca.crt").match(/-----BEGIN.*?-----END CERTIFICATE-----/gs)!;

test("each service gets a certificate with its name, and keeps it", async () => {
  await writeCertificates(dir, options);
  const [ca] = authoritiesOf("builds").map((pem) => new X509Certificate(pem));
  for (const service of services) {
    const certificate = new X509Certificate(read(service, "tls.crt"));
    expect(serviceNamed(certificate.subjectAltName)).toBe(service);
    expect(certificate.verify(ca!.publicKey)).toBe(true);
  }
  const before = all();
  await writeCertificates(dir, options);
  expect(all()).toEqual(before);
});

test("certificates that end within a year are replaced, and the old authority stays trusted", async () => {
  const old = await newAuthority(300);
  for (const service of services) {
    const { cert, key } = await old.sign([service], 300);
    for (const [name, text] of Object.entries({ "tls.crt": cert, "tls.key": key, "ca.crt": old.ca }))
      writeFileSync(join(dir, service, name), text);
  }
  await writeCertificates(dir, options);
  for (const service of services) {
    const [next, before] = authoritiesOf(service);
    expect(`${before}\n`).toBe(old.ca);
    expect(new X509Certificate(read(service, "tls.crt")).verify(new X509Certificate(next!).publicKey)).toBe(true);
  }
});

test("services have time to trust the new authority before the first certificate that it signed", async () => {
  const pauseMs = 200;
  await writeCertificates(dir, options);
  const old = await newAuthority(300);
  const { cert, key } = await old.sign(["builds"], 300);
  for (const [name, text] of Object.entries({ "tls.crt": cert, "tls.key": key }))
    writeFileSync(join(dir, "builds", name), text);
  await writeCertificates(dir, { ...options, pauseMs });
  const writtenAt = (name: string) => services.map((service) => statSync(join(dir, service, name)).mtimeMs);
  const trustedAt = Math.max(...writtenAt("ca.crt"));
  for (const name of ["tls.crt", "tls.key"])
    expect(Math.min(...writtenAt(name)) - trustedAt).toBeGreaterThan(pauseMs / 2);
});

test("a renewal that ended halfway is repeated, and every current certificate stays trusted meanwhile", async () => {
  const [old, next] = [await newAuthority(300), await newAuthority(2_000)];
  for (const service of services) {
    // The crash came after the first certificate was replaced.
    const { cert, key } = await (service === services[0] ? next : old).sign([service], 300);
    for (const [name, text] of Object.entries({ "tls.crt": cert, "tls.key": key, "ca.crt": next.ca + old.ca }))
      writeFileSync(join(dir, service, name), text);
  }
  await writeCertificates(dir, options);
  const [latest, ...before] = authoritiesOf("runner").map((pem) => `${pem}\n`);
  expect(before.sort()).toEqual([old.ca, next.ca].sort());
  for (const service of services)
    expect(new X509Certificate(read(service, "tls.crt")).verify(new X509Certificate(latest!).publicKey)).toBe(true);
});

test("all are made again if one is missing", async () => {
  await writeCertificates(dir, options);
  const before = all();
  rmSync(join(dir, "runner/tls.key"));
  await writeCertificates(dir, options);
  for (const [index, files] of all().entries()) expect(files).not.toEqual(before[index]);
});
