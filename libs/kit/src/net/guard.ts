import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = readonly [Address, number];

/** Hosts and addresses that are allowed although they are private. */
export type Opened = { readonly hosts: ReadonlySet<string>; readonly ranges: readonly Range[] };

/** What is allowed at every port; `ports` lists in full what is allowed at ports with more. */
export type Allow = Opened & { readonly ports: ReadonlyMap<number, Opened> };

export const openedAt = (allow: Allow, port: number): Opened => allow.ports.get(port) ?? allow;

export function rangeText([address, bits]: Range): string {
  return `${address}/${bits}`;
}

const ranges = (...texts: string[]): readonly Range[] => texts.map((text) => ipaddr.parseCIDR(text));

const closedV4 = ranges(
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"],
  ...["203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
);
// Only global unicast is allowed, which excludes loopback, local, multicast and translated addresses.
const openV6 = ranges("2000::/3");
const closedV6 = ranges("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");

/** The refused addresses in CIDR notation, for packet filters. Of IPv6, only `openV6` without `closedV6` is allowed. */
export const refused = {
  closedV4: closedV4.map((range) => rangeText(range)),
  openV6: openV6.map((range) => rangeText(range)),
  closedV6: closedV6.map((range) => rangeText(range)),
} as const;

const within = (address: Address, list: readonly Range[]): boolean =>
  list.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));

/** Spells a host as browsers do: lower case, punycode, plain IPv4, no brackets, no final dot. */
export const canonicalHost = (host: string): string | undefined => {
  if (!URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname.replace(/^\[|\]$|\.$/g, "");
};

// The parser alone would accept "10", and would read "::8.8.8.8" as a mapped address.
const parse = (text: string): Address | undefined => {
  const ip = text.replace(/%.*$/, "");
  if (isIP(ip) === 4) return ipaddr.IPv4.parse(ip);
  return isIP(ip) === 6 ? ipaddr.process(canonicalHost(`[${ip}]`)!) : undefined;
};

/** Reports whether connections to an IP address are refused. Anything else is refused too. */
export const blockedAddress = (ip: string, opened: Opened): boolean => {
  const address = parse(ip);
  if (!address) return true;
  if (within(address, opened.ranges)) return false;
  if (address.kind() === "ipv4") return within(address, closedV4);
  return !within(address, openV6) || within(address, closedV6);
};

/** Reports whether the operator allowed this host by name; then it may resolve to any address. */
export const allowedHost = (host: string, opened: Opened): boolean => opened.hosts.has(canonicalHost(host) ?? "");

const usualPorts: Readonly<Record<string, number>> = { "http:": 80, "https:": 443, "sftp:": 22 };

export const portOf = (url: Pick<URL, "port" | "protocol">): number =>
  url.port === "" ? (usualPorts[url.protocol] ?? 0) : Number(url.port);

export const isLocalhost = (name: string): boolean => name === "localhost" || name.endsWith(".localhost");

/** Reports whether an IP address lies in one of the ranges. */
export const inRanges = (ip: string, list: readonly Range[]): boolean => {
  const address = parse(ip);
  return address !== undefined && within(address, list);
};

/**
 * Reports whether a URL must not be stored: its host is a refused address or localhost. A localhost name passes if all
 * its `addresses` are allowed, or without any, if a loopback address is. Other names are checked at each connection.
 */
export const literalBlocked = (url: URL, allow: Allow, addresses: readonly string[] = []): boolean => {
  const opened = openedAt(allow, portOf(url));
  const name = canonicalHost(url.hostname);
  if (name === undefined) return true;
  if (opened.hosts.has(name)) return false;
  if (isIP(name)) return blockedAddress(name, opened);
  if (!isLocalhost(name)) return false;
  if (addresses.length === 0) return !["127.0.0.1", "::1"].some((ip) => inRanges(ip, opened.ranges));
  return !addresses.every((ip) => inRanges(ip, opened.ranges));
};

const parseRange = (entry: string): Range | undefined => {
  const [ip = "", bits = isIP(ip) === 4 ? "32" : "128", ...rest] = entry.split("/");
  const address = parse(ip);
  if (!address || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return undefined;
  const mapped = isIP(ip) === 6 && address.kind() === "ipv4";
  const size = Number(bits) - (mapped ? 96 : 0);
  return size >= 0 && size <= address.toByteArray().length * 8 ? [address, size] : undefined;
};

const entriesOf = (text: string): string[] => text.split(",").flatMap((part) => part.trim() || []);

/** Parses a comma-separated list of addresses and CIDR ranges. Errors quote the bad entry. */
export const parseRanges = (text: string): readonly Range[] =>
  entriesOf(text).map((entry) => {
    const range = parseRange(entry);
    if (!range) throw new Error(`"${entry}" is neither an IP address nor a CIDR range`);
    return range;
  });

const parseEntry = (entry: string): Opened | undefined => {
  const range = parseRange(entry);
  if (range) return { hosts: new Set(), ranges: [range] };
  const host = /[\s@:/?#\\*[\]]/.test(entry) ? undefined : canonicalHost(entry);
  return host && !isIP(host) ? { hosts: new Set([host]), ranges: [] } : undefined;
};

const parseEndpoint = (entry: string): [port: number, Opened] | undefined => {
  const [, six, other = "", digits = ""] = /^(?:\[([^\]/]+)\]|([^:[\]/]+)):(\d{1,5})$/.exec(entry) ?? [];
  const port = Number(digits);
  const opened = six === undefined || isIP(six) === 6 ? parseEntry(six ?? other) : undefined;
  return opened && port > 0 && port < 65_536 ? [port, opened] : undefined;
};

const join = (all: readonly Opened[]): Opened => ({
  hosts: new Set(all.flatMap(({ hosts }) => [...hosts])),
  ranges: all.flatMap(({ ranges }) => ranges),
});

/** Parses a comma-separated allow-list of addresses, CIDR ranges, host names and endpoints. Errors quote the bad entry. */
export const parseAllow = (text: string): Allow => {
  const everywhere: Opened[] = [];
  const endpoints: [number, Opened][] = [];
  for (const entry of entriesOf(text)) {
    const opened = parseEntry(entry);
    const endpoint = opened ? undefined : parseEndpoint(entry);
    if (opened) everywhere.push(opened);
    else if (endpoint) endpoints.push(endpoint);
    else throw new Error(`"${entry}" is neither an IP address, nor a CIDR range, nor a host name, nor host:port`);
  }
  const at = (port: number) => endpoints.filter(([other]) => other === port).map(([, opened]) => opened);
  const ports = new Map(endpoints.map(([port]) => [port, join([...everywhere, ...at(port)])]));
  return { ...join(everywhere), ports };
};

/** Returns the key by which limits know a client: an IPv4 address, or the /64 network of an IPv6 address. */
export function networkOf(ip: string): string {
  if (isIP(ip) !== 6) return ip;
  const address = ipaddr.process(ip);
  if (!(address instanceof ipaddr.IPv6)) return address.toString();
  const network = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(":")}::/64`;
}
