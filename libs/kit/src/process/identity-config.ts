import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { isServiceName, type ServiceName, serviceNames } from "../rpc/callers.js";
import { isPair, type ServiceKeys } from "../rpc/service-token.js";
import type { Settings } from "./config.js";

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
}

/** How a service proves its name: by certificate, or on a loopback by key. */
export type IdentityConfig = { readonly service: ServiceName } & (
  | { readonly tls: TlsFiles; readonly keys?: undefined }
  | { readonly keys: ServiceKeys; readonly tls?: undefined }
);

const isLoopback = (address: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:127(?:\.\d{1,3}){3}\]):\d+$/i.test(address);

const der = (type: "pkcs8" | "spki", text: string) =>
  ({ key: Buffer.from(text, "base64"), format: "der", type }) as const;

function ed25519(read: () => KeyObject): KeyObject {
  try {
    const key = read();
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // The error must not quote a key.
  }
  throw new Error("must be base64 of an Ed25519 key (PKCS #8 or SPKI, DER)");
}

const parseOwn = (text: string): KeyObject => ed25519(() => createPrivateKey(der("pkcs8", text) as never));

function parsePeers(text: string): ReadonlyMap<ServiceName, KeyObject> {
  const peers = new Map<ServiceName, KeyObject>();
  for (const entry of text.split(",")) {
    const [name = "", key = ""] = entry.trim().split(":");
    if (!isServiceName(name)) throw new Error(`must name ${serviceNames.join(", ")}, not "${name}"`);
    peers.set(
      name,
      ed25519(() => createPublicKey(der("spki", key) as never)),
    );
  }
  return peers;
}

const aboutTls = (what: string) =>
  `PEM file for mutual TLS between the services: ${what}. Set all three or none; required off the loopback`;
const about = {
  TLS_CERT: aboutTls("the service's certificate, with the service's name as a DNS name"),
  TLS_KEY: aboutTls("the private key of `TLS_CERT`"),
  TLS_CA: aboutTls("the authorities that sign the services' certificates"),
  SERVICE_KEY: "without TLS, the service's private key: base64 of an Ed25519 key (PKCS #8); `npm start` sets it",
  SERVICE_PEERS:
    "without TLS, the public keys of all services: `name:base64` (SPKI), separated by commas; `npm start` sets it",
} as const;

function tlsFiles(s: Settings, exposed: string | undefined): TlsFiles | undefined {
  const names = ["TLS_CERT", "TLS_KEY", "TLS_CA"] as const;
  const given = names.filter((name) => s.maybe(name, about[name]) !== undefined);
  if (given.length === 0 && exposed === undefined) return undefined;
  const file = (name: (typeof names)[number]) =>
    given.includes(name)
      ? s.str(name, about[name])
      : s.parsed(name, about[name], "", () => {
          throw new Error(exposed === undefined ? "is required" : `is required: ${exposed} is not on the loopback`);
        });
  const [cert, key, ca] = names.map(file) as [string, string, string];
  return { cert, key, ca };
}

/**
 * Reads how a service proves its name. `addresses` are the settings of where it listens and whom it calls: off the
 * loopback, it needs certificates.
 */
export function identityConfig(
  s: Settings,
  service: ServiceName,
  addresses: Readonly<Record<string, string | undefined>>,
): IdentityConfig {
  const exposed = Object.keys(addresses).find((name) => addresses[name] && !isLoopback(addresses[name]));
  const tls = tlsFiles(s, exposed);
  const key = <T>(name: "SERVICE_KEY" | "SERVICE_PEERS", parse: (text: string) => T): T =>
    s.parsed(name, about[name], "", (text) => {
      if (text === "" && tls) return undefined as T;
      if (text === "") throw new Error("is required without TLS_CERT, TLS_KEY and TLS_CA");
      return parse(text);
    });
  const own = key("SERVICE_KEY", parseOwn);
  const peers = key("SERVICE_PEERS", (text) => {
    const found = parsePeers(text);
    const mine = found.get(service);
    if (own && !(mine && isPair(own, mine))) throw new Error(`must hold the public key of SERVICE_KEY for ${service}`);
    return found;
  });
  return tls ? { service, tls } : { service, keys: { own, peers } };
}
