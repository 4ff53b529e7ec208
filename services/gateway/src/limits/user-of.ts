import { networkOf } from "@ci/kit/net/guard";
import type { Config } from "../config.js";
import { clientAddress } from "../http/address.js";
import type { Exchange } from "../http/exchange.js";

/** Returns the key whose share of the gateway a request uses: its user or, without a token, its network. */
export const userOf = ({ trustedProxies }: Pick<Config, "trustedProxies">, { session, request }: Exchange): string =>
  session ? `user ${session.user.id}` : networkOf(clientAddress(request, trustedProxies));
