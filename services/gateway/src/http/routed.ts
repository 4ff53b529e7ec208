import type { ServerResponse } from "node:http";
import type { Exchange } from "./exchange.js";
import type { Found } from "./match.js";

export interface Routed extends Exchange {
  /** The row of the table that answers the request, and the values of its path. Absent until it is found. */
  found?: Found;
  /** What of the web page the request got. */
  shown?: "page" | "asset";
}

const exchanges = new WeakMap<ServerResponse, Routed>();

export const openExchange = (exchange: Routed): void => void exchanges.set(exchange.response, exchange);

export const exchangeOf = (response: ServerResponse): Routed => exchanges.get(response)!;
