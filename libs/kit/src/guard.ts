import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

/** What an operator opened: exact host names, and ranges of addresses. */
export type Allow = { readonly hosts: ReadonlySet<string>; readonly ranges: readonly Range[] };

const ranges = (...texts: string[]): readonly Range[] => texts.map((text) => ipaddr.parseCIDR(text));

const closedV4 = ranges(
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"],
  ...["203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
);
// Only global unicast is open, so loopback, local, multicast and translated addresses need no row of their own.
const openV6 = ranges("2000::/3");
const closedV6 = ranges("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");

const within = (address: Address, list: readonly Range[]): boolean =>
  list.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));

/** A host as browsers spell it: lower case, punycode, plain IPv4, no brackets, no final dot; undefined if it is none. */
export const canonicalHost = (host: string): string | undefined => {
  if (!URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname.replace(/^\[|\]$|\.$/g, "");
};

// Node's check comes first: the parser also takes "10" for an address. IPv6 goes in as plain hexadecimal: it reads
// "::8.8.8.8" as a mapped address, which it is not.
const parse = (ip: string): Address | undefined => {
  if (isIP(ip) === 4) return ipaddr.IPv4.parse(ip);
  return isIP(ip) === 6 ? ipaddr.process(canonicalHost(`[${ip}]`)!) : undefined;
};

/** Whether a connection to this IP address is refused. Text that is no IP address is refused too. */
export const blockedAddress = (ip: string, allow: Allow): boolean => {
  const address = parse(ip.replace(/%.*$/, ""));
  if (!address) return true;
  if (within(address, allow.ranges)) return false;
  if (address.kind() === "ipv4") return within(address, closedV4);
  return !within(address, openV6) || within(address, closedV6);
};

/** Whether the operator listed this host by name, so that it may resolve to anything. */
export const allowedHost = (host: string, allow: Allow): boolean => allow.hosts.has(canonicalHost(host) ?? "");

/**
 * The check made when a URL is stored: whether its host (`url.hostname`) is a refused address or localhost.
 * Other names pass, they are judged by what they resolve to at each connection.
 */
export const literalBlocked = (host: string, allow: Allow): boolean => {
  const name = canonicalHost(host);
  if (name === undefined) return true;
  if (allow.hosts.has(name)) return false;
  if (isIP(name)) return blockedAddress(name, allow);
  const local = name === "localhost" || name.endsWith(".localhost");
  return local && ["127.0.0.1", "::1"].every((ip) => blockedAddress(ip, allow));
};

const parseRange = (entry: string): Range | undefined => {
  const [ip = "", bits = isIP(ip) === 4 ? "32" : "128", ...rest] = entry.split("/");
  const address = parse(ip);
  if (!address || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return undefined;
  const mapped = isIP(ip) === 6 && address.kind() === "ipv4";
  const size = Number(bits) - (mapped ? 96 : 0);
  return size >= 0 && size <= address.toByteArray().length * 8 ? [address, size] : undefined;
};

/** Reads an allow-list: addresses, CIDR ranges and exact host names, separated by commas. Throws naming a bad entry. */
export const parseAllow = (text: string): Allow => {
  const allow = { hosts: new Set<string>(), ranges: [] as Range[] };
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    const range = parseRange(entry);
    const host = /[\s@:/?#\\*[\]]/.test(entry) ? undefined : canonicalHost(entry);
    if (range) allow.ranges.push(range);
    else if (host && !isIP(host)) allow.hosts.add(host);
    else throw new Error(`"${entry}" is neither an IP address, nor a CIDR range, nor a host name`);
  }
  return allow;
};
