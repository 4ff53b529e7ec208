import { constants, X509Certificate } from "node:crypto";
import type { LookupAddress } from "node:dns";
import { existsSync, readFileSync } from "node:fs";
import { isIP, type LookupFunction, type Socket } from "node:net";
import { createSecureContext, DEFAULT_CIPHERS, rootCertificates, type SecureContext } from "node:tls";
import { Agent, buildConnector, Client, type Dispatcher, Pool } from "undici";
import { FetchFailed } from "./fetch-failed.js";
import {
  type Allow,
  allowedHost,
  blockedAddress,
  canonicalHost,
  isLocalhost,
  literalBlocked,
  type Opened,
  openedAt,
  portOf,
} from "./guard.js";
import { limitedHandshake } from "./handshake-limit.js";
import { type Resolver, systemResolver } from "./resolver.js";

export type Guard = { readonly allow: Allow; readonly resolver?: Resolver };

export type AgentOptions = Guard & { /** PEM certificates trusted besides the system's. */ readonly extraCa?: string };

const resolve = async (host: string, resolver: Resolver): Promise<LookupAddress[]> => {
  const plain = host.replace(/^\[|\]$/g, "");
  const name = isIP(plain) ? plain : canonicalHost(plain);
  if (name === undefined) throw new FetchFailed("name not found", { host: plain });
  if (isIP(name)) return [{ address: name, family: isIP(name) }];
  return resolver(plain.endsWith(".") ? `${name}.` : name).catch((cause) => {
    throw cause instanceof FetchFailed ? new FetchFailed(cause.reason, { cause, host: plain }) : cause;
  });
};

const checked = async (host: string, opened: Opened, resolver: Resolver): Promise<LookupAddress[]> => {
  const addresses = await resolve(host, resolver);
  if (!allowedHost(host, opened) && addresses.some(({ address }) => blockedAddress(address, opened)))
    throw new FetchFailed("address not allowed");
  return addresses;
};

/** Resolves and checks a host (as in `url.hostname`). Connect to these addresses without resolving it again. */
export const checkedAddresses = (
  host: string,
  port: number,
  { allow, resolver = systemResolver() }: Guard,
): Promise<LookupAddress[]> => checked(host, openedAt(allow, port), resolver);

/** Returns the check for storing a URL (`literalBlocked`), which looks a localhost name up. */
export async function targetCheck(
  text: string,
  { allow, resolver = systemResolver() }: Guard,
): Promise<(url: URL) => boolean> {
  const name = URL.canParse(text) ? canonicalHost(new URL(text).hostname) : undefined;
  const found = name && isLocalhost(name) ? await resolve(name, resolver).catch(() => []) : [];
  const addresses = found.map(({ address }) => address);
  return (url) => literalBlocked(url, allow, addresses);
}

const systemBundles = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];

// OpenSSL skips what it cannot read. A mistyped setting must not look like a receiver's bad certificate.
const assertPem = (text: string) => {
  try {
    new X509Certificate(text);
  } catch (cause) {
    throw new Error("The extra certificates are not PEM", { cause });
  }
};

// A server chooses the size of a finite-field group, and its computation stops this process for up to a second.
const keyExchange = { ciphers: `${DEFAULT_CIPHERS}:!kDHE`, ecdhCurve: "X25519:P-256:P-384:P-521" };

// Load them once per agent: hundreds of certificates cost more than a connection.
const trusting = (extraCa?: string) => {
  const system = systemBundles.filter(existsSync).slice(0, 1);
  const bundles = system.map((path) => readFileSync(path, "utf8"));
  return createSecureContext({
    ...keyExchange,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ca: [...rootCertificates, ...bundles, ...(extraCa ? [extraCa] : [])],
  });
};

/** A client with one connection at a time. */
export class Connection extends Client {
  /** Whether the server has answered on the current connection. If so, it may be about to close it. */
  hasAnswered = false;

  constructor(origin: URL, options: Client.Options) {
    super(origin, options);
    this.on("connect", () => {
      this.hasAnswered = false;
    });
  }

  /** Tells the request which connection it gets. */
  override dispatch(options: RequestOptions, handler: Dispatcher.DispatchHandler): boolean {
    options.onConnection?.(this);
    return super.dispatch(options, handler);
  }
}

export type RequestOptions = Dispatcher.DispatchOptions & { onConnection?(connection: Connection): void };

/**
 * Returns a connection pool that connects to no refused address. It checks the address of each new connection, and
 * loads the trusted certificates at the first one to an `https:` URL. Throws if the extra certificates are not PEM.
 */
export const guardedAgent = ({ extraCa, allow, resolver = systemResolver() }: AgentOptions): Agent => {
  if (extraCa) assertPem(extraCa);
  const connectorTo = (opened: Opened, secureContext?: SecureContext) => {
    const lookup: LookupFunction = (host, _options, callback) =>
      void checked(host, opened, resolver).then(
        (addresses) => callback(null, addresses),
        (error) => callback(error, []),
      );
    // Only with autoSelectFamily does Node accept a list of addresses.
    const tcp = { lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1_000, timeout: 30_000 };
    return buildConnector({ ...tcp, secureContext, rejectUnauthorized: true, allowH2: false });
  };
  // A lookup does not know the port, so ports with additional allowed addresses have their own connector.
  const connectors = (secureContext?: SecureContext) =>
    new Map([allow, ...allow.ports.values()].map((opened) => [opened, connectorTo(opened, secureContext)]));
  const plain = connectors();
  let secure: typeof plain | undefined;
  const secureConnectors = () => {
    secure ??= connectors(trusting(extraCa));
    return secure;
  };
  return new Agent({
    connect: (options, callback) => {
      const opened = openedAt(allow, portOf(options));
      // Literal addresses are not looked up, so check them here.
      if (isIP(options.hostname) && blockedAddress(options.hostname, opened))
        return callback(new FetchFailed("address not allowed"), null);
      const connectPlain = plain.get(opened)!;
      if (options.protocol !== "https:") return connectPlain(options, callback);
      const connectSecure = secureConnectors().get(opened)!;
      connectPlain({ ...options, protocol: "http:", port: String(portOf(options)) }, (error, socket) => {
        if (error) return callback(error, null);
        const { stream, secured } = limitedHandshake(socket);
        connectSecure({ ...options, httpSocket: stream as Socket }, (...result) => {
          secured();
          callback(...result);
        });
      });
    },
    factory: (origin, options) =>
      new Pool(origin, { ...options, factory: (to, settings) => new Connection(to, settings) }),
    keepAliveMaxTimeout: 10_000,
  });
};
