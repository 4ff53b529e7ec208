import type { Socket } from "node:net";
import { inRanges, networkOf } from "@ci/kit/net/guard";
import type { Config } from "../config.js";
import { clientAddress } from "../http/address.js";

/** Closes connections that an address may not have. Those of trusted proxies, which many clients share, do not count. */
export function shareConnections({
  connectionsPerAddress: max,
  trustedProxies,
}: Pick<Config, "connectionsPerAddress" | "trustedProxies">): (socket: Socket) => void {
  const counts = new Map<string, number>();
  return (socket) => {
    const address = clientAddress({ socket, headers: {} }, []);
    if (max === 0 || inRanges(address, trustedProxies)) return;
    const network = networkOf(address);
    const count = counts.get(network) ?? 0;
    if (count >= max) return void socket.destroy();
    counts.set(network, count + 1);
    socket.once("close", () => {
      const left = counts.get(network)! - 1;
      if (left === 0) counts.delete(network);
      else counts.set(network, left);
    });
  };
}
