import { Resolver } from "node:dns/promises";

const patience = { timeout: 3_000, tries: 2 } as const;

/** Parses comma-separated name servers with optional ports. Returns undefined for none, to use the system's. */
export function parseResolver(text: string): Resolver | undefined {
  const servers = text.split(",").flatMap((part) => part.trim() || []);
  if (servers.length === 0) return undefined;
  const resolver = new Resolver(patience);
  try {
    resolver.setServers(servers);
  } catch (cause) {
    throw new Error("must be addresses of name servers", { cause });
  }
  return resolver;
}
