import { X509Certificate } from "node:crypto";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newAuthority } from "@ci/certificates/authority";
import { servers, writeCertificates } from "@ci/certificates/write";
import { serviceNamed } from "@ci/kit/rpc/certificates";
import { certificateFolders, ownUser as options } from "./_certificates.js";
import { services } from "./_settings.js";

let dir: string;
beforeEach(() => {
  dir = certificateFolders();
});
afterEach(() => rmSync(dir, { recursive: true }));

const read = (service: string, name: string) => readFileSync(join(dir, service, name), "utf8");
const owners = [...services, ...servers];
const all = () => owners.map((service) => ["tls.crt", "tls.key", "ca.crt"].map((name) => read(service, name)));
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

test("MongoDB and NATS get certificates with their host names, which are those of no service", async () => {
  await writeCertificates(dir, options);
  const [ca] = authoritiesOf("ca").map((pem) => new X509Certificate(pem));
  for (const server of servers) {
    const certificate = new X509Certificate(read(server, "tls.crt"));
    expect(certificate.subjectAltName).toBe(`DNS:${server}, DNS:localhost, IP Address:127.0.0.1`);
    expect(serviceNamed(certificate.subjectAltName)).toBeUndefined();
    expect(certificate.verify(ca!.publicKey)).toBe(true);
  }
});

test("everyone may read the authority, and only the owner a key", async () => {
  await writeCertificates(dir, options);
  const modeOf = (name: string, file: string) => statSync(join(dir, name, file)).mode & 0o777;
  expect([modeOf("ca", "ca.crt"), modeOf("builds", "tls.key"), modeOf("mongo", "tls.key")]).toEqual([
    0o444, 0o400, 0o400,
  ]);
});

test("an installation without certificates of MongoDB and NATS gets them, and trusts the services' old ones meanwhile", async () => {
  await writeCertificates(dir, options);
  const [old] = authoritiesOf("builds");
  for (const server of servers) for (const file of ["tls.crt", "tls.key"]) rmSync(join(dir, server, file));
  rmSync(join(dir, "ca/ca.crt"));
  await writeCertificates(dir, options);
  for (const name of [...owners, "ca"]) expect([name, authoritiesOf(name)[1]]).toEqual([name, old]);
});

test("certificates that end within a year are replaced, and the old authority stays trusted", async () => {
  const old = await newAuthority(300);
  for (const service of owners) {
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
  for (const service of owners) {
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
