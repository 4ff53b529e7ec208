import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "@ci/kit/rpc/caller";
import type { Found } from "./match.js";
import type { Session } from "../auth/sessions.js";

/** One request and what is known about it so far. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** On whose behalf other services are called. */
  caller: Caller;
  /** Path and query as sent. */
  readonly url: string;
  /** The row of the table that answers it, and the values of its path. */
  found?: Found;
  /** Absent where no token is needed. */
  session?: Session;
}

/** What handles a request, or leaves it to the next in line. */
export type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

const exchanges = new WeakMap<ServerResponse, Exchange>();

/** Opens the exchange that answers with this response. */
export const openExchange = (exchange: Exchange): void => void exchanges.set(exchange.response, exchange);

/** The exchange a response belongs to. */
export const exchangeOf = (response: ServerResponse): Exchange => exchanges.get(response)!;

/** The query of a request. */
export function queryOf({ url }: Pick<Exchange, "url">): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start + 1));
}

/** Aborted when the client goes away before it has its answer, or when `stopping` is. */
export function gone({ response }: Exchange, stopping?: AbortSignal): AbortSignal {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  stopping?.addEventListener("abort", leave);
  response.once("close", () => {
    stopping?.removeEventListener("abort", leave);
    leave();
  });
  if (response.destroyed || stopping?.aborted) leave();
  return leaving.signal;
}
