import type { LookupAddress } from "node:dns";
import { readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { hostname } from "node:os";

/** How resolv.conf completes names: with which domains, and from how many dots on it first tries a name as it is. */
export interface Search {
  readonly domains: readonly string[];
  readonly dots: number;
}

export const withoutDot = (name: string): string => name.toLowerCase().replace(/\.$/, "");

const linesOf = (text: string, comments: RegExp): string[][] =>
  text.split("\n").map((line) => line.replace(comments, "").split(/\s+/).filter(Boolean));

/** Parses a hosts file into the addresses of each name. */
export function parseHosts(text: string): ReadonlyMap<string, readonly LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>();
  for (const [address = "", ...names] of linesOf(text, /#.*/)) {
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of new Set(names.map(withoutDot))) {
      const addresses = hosts.get(name) ?? [];
      addresses.push({ address, family });
      hosts.set(name, addresses);
    }
  }
  return hosts;
}

/** Parses `search`, `domain` and `options ndots:` of a resolv.conf. The last of each counts; the default is the host's domain. */
export function parseSearch(text: string, host = hostname()): Search {
  let domains: readonly string[] = [host.split(".").slice(1).join(".")];
  let dots = 1;
  for (const [keyword = "", ...words] of linesOf(text, /[#;].*/)) {
    if (keyword === "search") domains = words;
    if (keyword === "domain") domains = words.slice(0, 1);
    const options = keyword === "options" ? words : [];
    for (const option of options) dots = Number(/^ndots:(\d+)$/.exec(option)?.[1] ?? dots);
  }
  return { domains: domains.map(withoutDot).filter(Boolean), dots };
}

/** Returns the full names that a name may stand for, in the order in which to try them. */
export function fullNames(name: string, { domains, dots }: Search): string[] {
  if (name.endsWith(".")) return [name];
  const completed = domains.map((domain) => `${name}.${domain}`);
  return name.split(".").length > dots ? [name, ...completed] : [...completed, name];
}

/** Returns a function that reads a file again when it has changed. A file that cannot be read counts as empty. */
export function parsedFile<T>(path: string, parse: (text: string) => T): () => T {
  const nothing = parse("");
  let current = { version: "", parsed: nothing };
  return () => {
    try {
      const { ino, mtimeMs, size } = statSync(path);
      const version = `${ino} ${mtimeMs} ${size}`;
      if (version !== current.version) current = { version, parsed: parse(readFileSync(path, "utf8")) };
    } catch {
      current = { version: "", parsed: nothing };
    }
    return current.parsed;
  };
}
