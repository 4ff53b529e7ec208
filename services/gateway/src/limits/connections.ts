import type { Socket } from "node:net";
import { inRanges, networkOf } from "@ci/kit/net/guard";
import { countsBy } from "@ci/kit/turns/counts";
import type { Config } from "../config.js";
import { clientAddress } from "../http/address.js";

/** Closes connections that an address may not have. Those of trusted proxies, which many clients share, do not count. */
export function shareConnections({
  connectionsPerAddress: max,
  trustedProxies,
}: Pick<Config, "connectionsPerAddress" | "trustedProxies">): (socket: Socket) => void {
  const connections = countsBy<string>();
  return (socket) => {
    const address = clientAddress({ socket, headers: {} }, []);
    if (max === 0 || inRanges(address, trustedProxies)) return;
    const network = networkOf(address);
    if (connections.of(network) >= max) return void socket.destroy();
    connections.add(network, 1);
    socket.once("close", () => connections.add(network, -1));
  };
}
