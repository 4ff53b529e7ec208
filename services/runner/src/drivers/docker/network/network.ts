import type { NetworkCreateOptions } from "dockerode";
import { shortNameOf } from "../../egress/keeper.js";

/** The longest name of a network interface in Linux. */
const maxInterfaceName = 15;

/** What the bridges of all of a runner's builds begin with. The packet filter knows them by it. */
export const bridgePrefix = (runner: string): string => `ci${shortNameOf(runner)}`;

export const bridgeName = (runner: string, random: string): string =>
  `${bridgePrefix(runner)}${random}`.slice(0, maxInterfaceName);

export interface NetworkPlan {
  readonly name: string;
  readonly bridge: string;
  readonly labels: Readonly<Record<string, string>>;
}

export const networkOf = ({ name, bridge, labels }: NetworkPlan): NetworkCreateOptions => ({
  Name: name,
  Driver: "bridge",
  EnableIPv6: false,
  Options: { "com.docker.network.bridge.name": bridge },
  Labels: { ...labels },
});
