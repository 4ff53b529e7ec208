import "reflect-metadata";
import { randomBytes, webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

const { subtle } = webcrypto;
cryptoProvider.set(webcrypto as never);

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const dayMs = 86_400_000;
/** Clocks of other machines may be behind. */
const earlyMs = dayMs;

export interface Signed {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  /** PEM: what the others trust. */
  readonly ca: string;
  /** Signs a certificate for a service under these DNS names and IP addresses, for calls in both directions. */
  sign(names: readonly string[], days: number): Promise<Signed>;
}

const pem = (key: ArrayBuffer): string =>
  `-----BEGIN PRIVATE KEY-----\n${Buffer.from(key)
    .toString("base64")
    .replace(/.{64}(?=.)/g, "$&\n")}\n-----END PRIVATE KEY-----\n`;

const lifetime = (days: number) => ({
  notBefore: new Date(Date.now() - earlyMs),
  notAfter: new Date(Date.now() + days * dayMs),
});

// The first bit of a serial number has to be 0.
const serialNumber = (): string => `1${randomBytes(15).toString("hex")}0`;

const isIp = (name: string): boolean => /^[\d.]+$|:/.test(name);

/** Makes a new authority. Its key is never stored, so certificates made later need another authority. */
export async function newAuthority(days: number): Promise<Authority> {
  const keys = await subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const name = `CN=Service CI ${randomBytes(4).toString("hex")}`;
  const ca = await X509CertificateGenerator.createSelfSigned({
    ...{ serialNumber: serialNumber(), name, keys, signingAlgorithm: algorithm, ...lifetime(days) },
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  return {
    ca: `${ca.toString("pem")}\n`,
    async sign(names, forDays) {
      const own = await subtle.generateKey(algorithm, true, ["sign", "verify"]);
      const cert = await X509CertificateGenerator.create({
        ...{ serialNumber: serialNumber(), subject: `CN=${names[0]}`, issuer: ca.subject, ...lifetime(forDays) },
        ...{ publicKey: own.publicKey, signingKey: keys.privateKey, signingAlgorithm: algorithm },
        extensions: [
          new BasicConstraintsExtension(false),
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
          new SubjectAlternativeNameExtension(names.map((value) => ({ type: isIp(value) ? "ip" : "dns", value }))),
        ],
      });
      return { cert: `${cert.toString("pem")}\n`, key: pem(await subtle.exportKey("pkcs8", own.privateKey)) };
    },
  };
}
