import type { LookupAddress } from "node:dns";
import { Resolver as NameServers } from "node:dns/promises";
import { fixedLimit } from "../process/fixed-limit.js";
import { FetchFailed } from "./fetch-failed.js";
import { isLocalhost } from "./guard.js";
import { fullNames, parsedFile, parseHosts, parseSearch, withoutDot } from "./system-files.js";

/** Resolves a host name without one of the process's few threads, which `dns.lookup` would hold. Throws FetchFailed. */
export type Resolver = (name: string) => Promise<LookupAddress[]>;

/** The name servers to ask, the system's by default, how long each may take at first, and all together. */
export interface Asked {
  readonly servers?: readonly string[];
  readonly firstMs?: number;
  readonly forMs?: number;
}

const maxMs = fixedLimit({
  max: 10_000,
  unit: "ms",
  about: "time that name servers get to resolve a host name that a user chose",
  effect: "the attempt fails with `name lookup failed`",
});

const maxAddresses = fixedLimit({
  max: 64,
  about: "addresses of a host name that a user chose",
  effect: "the attempt fails with `name has too many addresses`",
});

const none = ["ENOTFOUND", "ENODATA", "EBADNAME"];
const refused = ["ESERVFAIL", "EREFUSED", "ENOTIMP"];

async function askForBoth(client: NameServers, name: string) {
  const [four, six] = await Promise.allSettled([client.resolve4(name), client.resolve6(name)]);
  const found = (answer: PromiseSettledResult<string[]>, family: number) =>
    answer.status === "fulfilled" ? answer.value.map((address) => ({ address, family })) : [];
  const errors = [four, six].flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
  return { found: [...found(four, 4), ...found(six, 6)], error: errors.find(({ code }) => !none.includes(code)) };
}

/** Asks the next name servers too if the first ones refuse to answer. */
async function askForOne(client: NameServers, name: string, signal: AbortSignal) {
  for (;;) {
    const answer = await askForBoth(client, name);
    const others = client.getServers().slice(1);
    const goesOn = answer.found.length === 0 && refused.includes(answer.error?.code) && others.length > 0;
    if (!goesOn || signal.aborted) return answer;
    client.setServers(others);
  }
}

async function ask(
  names: readonly string[],
  { servers, firstMs = 3_000, forMs = maxMs }: Asked,
): Promise<LookupAddress[]> {
  const late = new AbortController();
  let client: NameServers;
  const timer = setTimeout(() => {
    late.abort();
    client.cancel();
  }, forMs);
  let cause: unknown;
  try {
    for (const name of names) {
      // A shared client would adapt its patience to the quickest names, and could not give up one name alone.
      client = new NameServers({ timeout: firstMs, tries: 2 });
      if (servers) client.setServers(servers);
      const { found, error } = await askForOne(client, name, late.signal);
      if (found.length > maxAddresses) throw new FetchFailed("name has too many addresses");
      if (found.length > 0) return found;
      cause ??= error;
      if (late.signal.aborted) break;
    }
  } finally {
    clearTimeout(timer);
  }
  throw new FetchFailed(cause ? "name lookup failed" : "name not found", { cause });
}

/** Returns a resolver that asks name servers and reads no file. */
export const serversResolver =
  (asked: Asked): Resolver =>
  (name) =>
    ask([name], asked);

/** RFC 6761, 6.3: no name server is asked for localhost names. */
const loopback: readonly LookupAddress[] = [{ address: "127.0.0.1", family: 4 }];

/** Returns a resolver that follows the hosts file and resolv.conf as `getaddrinfo` does. */
export function systemResolver(
  asked: Asked = {},
  files = { hosts: "/etc/hosts", search: "/etc/resolv.conf" },
): Resolver {
  const hosts = parsedFile(files.hosts, parseHosts);
  const search = parsedFile(files.search, parseSearch);
  return async (name) => {
    const plain = withoutDot(name);
    const listed = hosts().get(plain) ?? (isLocalhost(plain) ? loopback : undefined);
    return listed ? [...listed] : ask(fullNames(name, search()), asked);
  };
}

/** Parses comma-separated name servers with optional ports. Without any, the resolver is the system's. */
export function parseResolver(text: string): Resolver {
  const servers = text.split(",").flatMap((part) => part.trim() || []);
  if (servers.length === 0) return systemResolver();
  try {
    new NameServers().setServers(servers);
  } catch (cause) {
    throw new Error("must be addresses of name servers", { cause });
  }
  return serversResolver({ servers });
}
