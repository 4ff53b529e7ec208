import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { inRanges, type Range } from "@ci/kit/net/guard";

const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "");

/**
 * Returns the address of a request's client. If the connection comes from a trusted proxy, the client is the last
 * address in X-Forwarded-For that is not such a proxy: those before it could be forged.
 */
export function clientAddress(
  { socket, headers }: Pick<IncomingMessage, "headers"> & { socket: { remoteAddress?: string } },
  trusted: readonly Range[],
): string {
  let address = plain(socket.remoteAddress ?? "");
  const hops = [headers["x-forwarded-for"] ?? ""].flat().join(",").split(",").reverse();
  for (const hop of hops.map((text) => plain(text.trim()))) {
    if (!isIP(hop) || !inRanges(address, trusted)) return address;
    address = hop;
  }
  return address;
}
