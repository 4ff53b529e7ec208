import { networkOf } from "@ci/kit/net/guard";
import { clientAddress } from "../audit/address.js";
import type { Config } from "../config.js";
import type { Exchange } from "../http/exchange.js";

/** Returns whose share of the gateway a request takes: its user's or, without a token, that of its network. */
export const userOf = ({ trustedProxies }: Pick<Config, "trustedProxies">, { session, request }: Exchange): string =>
  session ? `user ${session.user.id}` : networkOf(clientAddress(request, trustedProxies));
