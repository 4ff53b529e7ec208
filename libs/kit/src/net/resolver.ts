import { Resolver } from "node:dns/promises";

/** Two questions to each server must fit into the shortest timeout of an exchange. */
const patience = { timeout: 3_000, tries: 2 } as const;

/**
 * Reads a list of name servers, separated by commas: addresses, with `:port` where it is not 53. Undefined for none:
 * then names are resolved as the system does. Throws for what is no address.
 */
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
