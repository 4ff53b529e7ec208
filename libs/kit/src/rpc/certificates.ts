import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { experimental } from "@grpc/grpc-js";
import type { TlsFiles } from "../process/identity-config.js";
import { isServiceName, type ServiceName } from "./callers.js";

type CertificateProvider = experimental.CertificateProvider;

interface Pems {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer;
}

/** Returns the service among a certificate's DNS names (`DNS:a, DNS:b`); undefined if there are none or several. */
export function serviceNamed(subjectAltName: string | undefined): ServiceName | undefined {
  // Node quotes a name that contains a comma. Without the quotes it would look like two names.
  if (subjectAltName === undefined || subjectAltName.includes('"')) return undefined;
  const names = subjectAltName.split(", ").flatMap((name) => (name.startsWith("DNS:") ? [name.slice(4)] : []));
  const services = names.filter(isServiceName);
  return services.length === 1 ? services[0] : undefined;
}

/** Reads the three files. Throws an error that names the setting if `service` cannot use them. */
function readPems(files: TlsFiles, service: ServiceName): Pems {
  const read = (setting: string, path: string) => {
    try {
      return readFileSync(path);
    } catch (error) {
      throw new Error(`${setting} cannot be read: ${(error as Error).message}`);
    }
  };
  const pems = { cert: read("TLS_CERT", files.cert), key: read("TLS_KEY", files.key), ca: read("TLS_CA", files.ca) };
  const parsed = <T>(setting: string, parse: () => T): T => {
    try {
      return parse();
    } catch {
      throw new Error(`${setting} holds no PEM that can be read`);
    }
  };
  const certificate = parsed("TLS_CERT", () => new X509Certificate(pems.cert));
  parsed("TLS_CA", () => new X509Certificate(pems.ca));
  const key = parsed("TLS_KEY", () => createPrivateKey(pems.key));
  if (!certificate.checkPrivateKey(key)) throw new Error("TLS_KEY is not the key of the certificate in TLS_CERT");
  if (serviceNamed(certificate.subjectAltName) !== service)
    throw new Error(
      `TLS_CERT must have the DNS name "${service}" and that of no other service, not "${certificate.subjectAltName}"`,
    );
  return pems;
}

interface CertificateFiles extends CertificateProvider, AsyncDisposable {}

/**
 * Provides connections with a service's certificate, and with the next one when its files change. While the files do not
 * match, as in the middle of a change, the previous certificate stays in use.
 */
export function certificateFiles(
  files: TlsFiles,
  service: ServiceName,
  everyMs: number,
  onRefused: (error: unknown) => void,
): CertificateFiles {
  let pems = readPems(files, service);
  const onCa = new Set<experimental.CaCertificateUpdateListener>();
  const onIdentity = new Set<experimental.IdentityCertificateUpdateListener>();
  const ca = () => ({ caCertificate: pems.ca });
  const identity = () => ({ certificate: pems.cert, privateKey: pems.key });
  const reread = () => {
    try {
      const found = readPems(files, service);
      if (found.ca.equals(pems.ca) && found.cert.equals(pems.cert) && found.key.equals(pems.key)) return;
      pems = found;
      for (const listener of onCa) listener(ca());
      for (const listener of onIdentity) listener(identity());
    } catch (error) {
      onRefused(error);
    }
  };
  const timer = setInterval(reread, everyMs).unref();
  return {
    addCaCertificateListener(listener) {
      onCa.add(listener);
      // A server adds its own watcher only after this call.
      process.nextTick(() => listener(ca()));
    },
    removeCaCertificateListener: (listener) => void onCa.delete(listener),
    addIdentityCertificateListener(listener) {
      onIdentity.add(listener);
      process.nextTick(() => listener(identity()));
    },
    removeIdentityCertificateListener: (listener) => void onIdentity.delete(listener),
    [Symbol.asyncDispose]: async () => clearInterval(timer),
  };
}
