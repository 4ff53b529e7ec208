import type { IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "@ci/kit/rpc/caller";
import type { NewEntry } from "../audit/entry.js";
import type { Session } from "../auth/sessions.js";

/** One request and what the policies have found out about it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The caller that other services see. */
  caller: Caller;
  readonly url: string;
  /** Absent where no token is needed. */
  session?: Session;
  authenticatedMs?: number;
  /** Of a request that its client may repeat. */
  idempotencyKey?: string;
  /** The entry of the audit log to store with the change, and whether that was done. */
  entry?: NewEntry;
  recorded?: boolean;
}

export type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

export function queryOf({ url }: Pick<Exchange, "url">): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start < 0 ? "" : url.slice(start + 1));
}

/** A signal compares a new listener with each it has. With one that calls these, thousands of streams can wait for it. */
const listeners = new WeakMap<AbortSignal, Set<() => void>>();

function listenersOf(signal: AbortSignal): Set<() => void> {
  const known = listeners.get(signal);
  if (known) return known;
  const all = new Set<() => void>();
  listeners.set(signal, all);
  signal.addEventListener("abort", () => {
    for (const listener of all) listener();
  });
  return all;
}

/** One for all requests, because making an error takes longer than all else here. */
const disconnection = new DOMException("The client has disconnected", "AbortError");

/** Returns a signal that aborts when the client disconnects before it has its response, or with `stopping`. */
export function disconnected({ response }: Exchange, stopping?: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(disconnection);
  const others = stopping && listenersOf(stopping);
  others?.add(abort);
  response.once("close", () => {
    others?.delete(abort);
    abort();
  });
  if (response.destroyed || stopping?.aborted) abort();
  return controller.signal;
}
